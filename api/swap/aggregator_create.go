package swap

import (
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// sameFor is the time within which the same query means the same trade.
	sameFor = 30 * time.Second
	// scope separates these queries from the keys of api/swap.
	scope = "aggregator"
)

// newTrade creates a trade, or finds the one that the same query created a moment ago. If a
// client sends the call twice, it uses the second answer, so the trade is given to the second
// call's key. HEAD makes all checks that need no call to Temporal or a provider. It creates
// nothing and has no body.
func (s *aggregators) newTrade(r aggregatorCall) (any, error) {
	want, err := s.asked(r)
	if err != nil {
		return nil, err
	}
	req, err := s.order(r, want)
	if err != nil {
		return nil, err
	}
	if r.Method == http.MethodHead {
		return nil, nil //nolint:nilnil // an answer without a body
	}
	row, err := s.makeOnce(r, want.pair, req)
	if err != nil {
		return nil, err
	}
	if row, err = s.TakeOver(r.Context(), row, r.caller, want.markup, want.pair.To.Decimals); err != nil {
		return nil, err
	}
	return s.created(row)
}

// order reads and checks everything that can be checked without a call to Temporal or a
// provider.
func (s *aggregators) order(r aggregatorCall, want asked) (TradeRequest, error) {
	p := want.pair
	req := s.NewTradeRequest(r.caller, p, want.amount, want.markup)
	if _, err := r.query.boolean("fixed"); err != nil {
		return req, err
	}
	var err error
	if req.Provider, err = s.namedProvider(r.query, p); err != nil {
		return req, err
	}
	if req.ExtraID, req.RefundMemo, err = memos(r.query, p); err != nil {
		return req, err
	}
	if req.Address, err = s.address(r.query, "address", p.To); err != nil {
		return req, err
	}
	req.Refund, err = s.address(r.query, "refund", p.From)
	return req, err
}

// memos returns the memos of address and refund. For a coin without memos, a memo of the
// address is ignored, like all parameters that are not part of the dialect. A memo of the
// refund is refused, because the client expects it to be sent.
func memos(q *query, p exchange.Pair) (address, refund *string, err error) {
	if p.To.Memo {
		if address, err = q.memoOf("address_memo"); err != nil {
			return nil, nil, err
		}
	}
	if refund, err = q.memoOf("refund_memo"); err == nil && refund != nil && !p.From.Memo {
		err = wrong("refund_memo is not used by " + p.From.Name)
	}
	return address, refund, err
}

func (s *aggregators) address(q *query, name string, c exchange.Coin) (string, error) {
	address, err := q.needed(name)
	if err == nil && c.CheckAddress(address, s.Quoter.Net) != nil {
		err = wrong(name + " is not an address of " + c.Name)
	}
	return address, err
}

// makeOnce creates the trade of a query, or finds it. Only a call that is to create the trade counts
// as a write. A concurrent call with the same query waits until that is decided. After a refusal
// the same query starts a new attempt.
func (s *aggregators) makeOnce(r aggregatorCall, p exchange.Pair, req TradeRequest) (db.Trade, error) {
	ctx, values := r.Context(), r.query.values
	if err := s.PruneClaims(ctx); err != nil {
		return db.Trade{}, err
	}
	var claimed Claimed
	admit := func(q *db.Queries) error { return s.AdmitIn(q, r.w, r.Request, r.caller, Write) }
	err := s.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		claimed, err = s.Claim(ctx, q, Claim{Scope: scope, Key: values.Encode(), Query: values, For: sameFor})
		if err == nil && claimed.New {
			err = admit(q)
		}
		return err
	})
	if err != nil {
		return db.Trade{}, err
	}
	if !claimed.New {
		row, err := s.MadeBefore(ctx, claimed.TradeID)
		if !postgres.IsNotFound(err) {
			return row, err
		}
		if err := admit(s.Store.Queries); err != nil {
			return row, err
		}
	}
	row, err := s.MadeTrade(ctx, claimed.TradeID, req)
	return row, unmade(err, p)
}
