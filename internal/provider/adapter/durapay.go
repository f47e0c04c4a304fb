package adapter

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// durapay implements the swap API of a Durapay exchange, /api/v1: GET requests, and
// errors with codes. It uses everything that the exchange reports of a trade, including
// the received amount and the transactions of deposit, payout and refund. The adapter
// for aggregators, which can use the second API of the same exchange, does not get these.
//
// The exchange reports the agreed amount, the received amount and the rate, but not
// the amount paid. It pays received × rate, unless much more arrived than was
// ordered. In that case the adapter does not know the payout.
type durapay struct{ base }

// Durapay returns an adapter for a Durapay exchange. The client has the exchange's base
// URL, without /api/v1.
func Durapay(c *Client, about provider.Profile) provider.Provider { return durapay{base{c, about}} }

// Create orders a trade at the floating rate, on the quoted route. The exchange
// requires an idempotency key. Create makes a new one for each call, because no
// order is sent twice.
func (p durapay) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	optional := map[string]string{"extra_id": o.Memo, "refund_memo": o.RefundMemo, "provider": o.Route}
	call := get("/api/v1/new_trade", orderQuery(o, optional))
	call.header = http.Header{"Idempotency-Key": {rand.Text()}}
	return order[durapayTrade](ctx, p.base, o, call, func(a answer) error { return durapayOrderRefusal(a, o.Amount) })
}

// Status looks up a trade by its trade_id. A refusal means that there is no such trade
// only if it has the exchange's code for that.
func (p durapay) Status(ctx context.Context, id string) (provider.Swap, error) {
	return look[only[durapayTrade]](ctx, p.base, id, get("/api/v1/trade", url.Values{"id": {id}}), func(a answer) error {
		if problemOf(a).Code == "trade_not_found" {
			return provider.ErrUnknownSwap
		}
		return nil
	})
}

// durapayRate contains the used fields of new_rate.
type durapayRate struct {
	AmountTo money.Loose  `json:"amount_to"`
	Best     string       `json:"best_provider"`
	Min      *money.Loose `json:"min_amount_from"`
	Max      *money.Loose `json:"max_amount_from"`
	Seconds  int64        `json:"eta_seconds"`
	Quotes   struct {
		Quotes []struct {
			Provider string          `json:"provider"`
			Rating   provider.Rating `json:"kycrating"`
		} `json:"quotes"`
	} `json:"quotes"`
}

// Quote asks for the best route. It does not use the expiry that the exchange
// reports, because that is for a fixed rate. A floating rate is only determined
// when the trade is made.
func (p durapay) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	query := pairQuery(r)
	query.Set("best_only", "true")
	var rate durapayRate
	refused := func(a answer) error { return durapayRefusal(a, r.Amount, provider.ErrUnavailable) }
	if err := p.client.read(ctx, get("/api/v1/new_rate", query), &rate, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{
		Request: r, Route: rate.Best, Rating: p.about.Rating, Min: bound(rate.Min), Max: bound(rate.Max),
		ETA: eta(money.DecimalFromInt(rate.Seconds), time.Second),
	}
	for _, route := range rate.Quotes.Quotes {
		if route.Provider == rate.Best && route.Rating.Known() {
			q.Rating = route.Rating
			break
		}
	}
	return q.Priced(rate.AmountTo.Decimal)
}

// problem is an error of the exchange. Code is empty if the answer has another
// form, because it then does not come from the exchange.
type problem struct {
	Code    string            `json:"code"`
	Details map[string]string `json:"details"`
}

func problemOf(reply answer) problem {
	var body struct {
		Error problem `json:"error"`
	}
	if !reply.decode(&body) {
		return problem{}
	}
	return body.Error
}

// durapayRefusal returns the error for the code of a refusal, and other for a code that
// is not listed here.
func durapayRefusal(reply answer, amount money.Decimal, other error) error {
	switch says := problemOf(reply); says.Code {
	case "pair_not_supported":
		return provider.ErrPairUnsupported
	case "amount_below_min":
		return limitError(provider.ErrBelowMin, amount, says.Details["min_amount_from"])
	case "amount_above_max":
		return limitError(provider.ErrAboveMax, amount, says.Details["max_amount_from"])
	default:
		return other
	}
}

// durapayOrderRefusal returns an error only if the exchange itself refused the order with
// one of its known codes. Otherwise it returns nil, because the order may have
// been made.
func durapayOrderRefusal(reply answer, amount money.Decimal) error {
	switch problemOf(reply).Code {
	case "invalid_parameter", "address_invalid", "address_blocked", "fixed_rate_unsupported":
		return provider.ErrRefused
	case "no_route_available", "route_unavailable", "pricing_stale", "not_found", "method_not_allowed":
		return provider.ErrUnavailable
	default:
		return durapayRefusal(reply, amount, nil)
	}
}

// durapayTrade contains the used fields of new_trade and trade. The answer of new_trade
// has neither a received amount nor transactions.
type durapayTrade struct {
	TradeID     string      `json:"trade_id"`
	Status      string      `json:"status"`
	TickerTo    string      `json:"ticker_to"`
	NetworkTo   string      `json:"network_to"`
	AmountFrom  money.Loose `json:"amount_from"`
	AmountTo    money.Loose `json:"amount_to"`
	Rate        money.Loose `json:"rate"`
	Received    money.Loose `json:"amount_received"`
	Deposit     string      `json:"address_provider"`
	DepositMemo string      `json:"address_provider_memo"`
	AddressUser string      `json:"address_user"`
	DepositTx   string      `json:"deposit_tx_hash"`
	PayoutTx    string      `json:"payout_tx_hash"`
	RefundTx    string      `json:"refund_tx_hash"`
	ExpiresAt   time.Time   `json:"expires_at"`
}

// swap maps the statuses of the contract to states. A failed trade is not final: it has a
// deposit, and people at the exchange may still complete it.
func (t durapayTrade) swap() (s provider.Swap, paidTo string) {
	s = provider.Swap{
		ID: t.TradeID, Word: t.Status, DepositAddress: t.Deposit, DepositMemo: t.DepositMemo,
		AmountFrom: t.AmountFrom.Decimal, AmountTo: t.AmountTo.Decimal,
		DepositTx: t.DepositTx, PayoutTx: t.PayoutTx, RefundTx: t.RefundTx, ExpiresAt: t.ExpiresAt,
		State: stateOf(t.Status, map[string]provider.State{
			"pending": provider.Waiting, "awaiting_deposit": provider.Waiting, "deposit_detected": provider.Confirming,
			"confirming": provider.Confirming, "processing": provider.Exchanging, "sending": provider.Sending, "completed": provider.Finished,
			"refunded": provider.Refunded, "expired": provider.Expired, "failed": provider.Halted, "hold": provider.Halted,
		}),
	}
	if t.Received.Sign() > 0 && t.Received.Cmp(s.AmountFrom) != 0 {
		s.AmountFrom, s.AmountTo = t.Received.Decimal, t.pays()
	}
	return s, t.AddressUser
}

// lockedShare is the largest share of the ordered amount for which the whole deposit
// is paid at the locked rate. An exchange pays the excess at a later price, which it
// does not report.
func lockedShare() money.Decimal { return money.MustDecimal("1.01") }

// pays returns the payout for the received amount at the locked rate, rounded down to
// the smallest unit of the coin. It returns 0, which means unknown, above lockedShare
// and for an unknown coin.
func (t durapayTrade) pays() money.Decimal {
	to, known := coin.Lookup(t.TickerTo, t.NetworkTo)
	if !known || t.Received.Cmp(t.AmountFrom.Mul(lockedShare())) > 0 {
		return money.Decimal{}
	}
	return t.Received.Mul(t.Rate.Decimal).Floor(to.Decimals)
}
