package swap

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// maxIdempotencyKey is the maximum length of the key in characters.
const maxIdempotencyKey = 128

// rawBody is an answer whose bytes are stored.
type rawBody struct {
	ContentType string `header:"Content-Type"`
	Body        any
}

// newTrade creates a trade. HEAD makes all checks that need no call to Temporal or a provider,
// and creates nothing.
func (a *app) newTrade(ctx context.Context, q *query) (*rawBody, error) {
	c := callerOf(ctx)
	if err := q.checkKey(); err != nil {
		return nil, err
	}
	if body, err := a.bound(ctx, c, q); body != nil || err != nil {
		return &rawBody{httpapi.JSON, body}, err
	}
	req, err := a.tradeRequest(q, c)
	if err != nil {
		return nil, err
	}
	if q.head {
		return &rawBody{httpapi.JSON, []byte(nil)}, nil
	}
	body, err := a.createOnce(ctx, c, q, req)
	if err != nil {
		return nil, err
	}
	return &rawBody{httpapi.JSON, body}, nil
}

// checkKey refuses a creation without exactly one idempotency key.
func (q *query) checkKey() error {
	switch {
	case q.keys > 1:
		return badParameter("Idempotency-Key", "is given more than once")
	case q.key == "" || utf8.RuneCountInString(q.key) > maxIdempotencyKey:
		return badParameter("Idempotency-Key", "is required, with at most 128 characters")
	}
	return nil
}

// tradeRequest reads and checks everything that can be checked without a call to Temporal or a
// provider.
func (a *app) tradeRequest(q *query, c Caller) (TradeRequest, error) {
	want, err := a.askedOf(q, c)
	if err != nil {
		return TradeRequest{}, err
	}
	req := a.NewTradeRequest(c, want.pair, want.amount, want.markup)
	if req.Provider, err = a.namedProvider(q, want.pair); err != nil {
		return req, err
	}
	if req.WebhookURL, err = webhookURL(q, c); err != nil {
		return req, err
	}
	if req.Note, err = q.optional("note"); err != nil {
		return req, err
	}
	if req.ExtraID, err = memo(q, "extra_id", want.pair.To.Coin); err != nil {
		return req, err
	}
	if req.RefundMemo, err = memo(q, "refund_memo", want.pair.From.Coin); err != nil {
		return req, err
	}
	if req.Address, err = q.needed("address"); err != nil {
		return req, err
	}
	if req.Refund, err = q.needed("refund"); err != nil {
		return req, err
	}
	return req, a.checkAddresses(want.pair, req)
}

// checkAddresses validates the format of both addresses.
func (a *app) checkAddresses(p exchange.Pair, req TradeRequest) error {
	for _, check := range []struct {
		name, address string
		coin          exchange.Coin
	}{{"address", req.Address, p.To}, {"refund", req.Refund, p.From}} {
		if check.coin.CheckAddress(check.address, a.Quoter.Net) != nil {
			return &httpapi.Problem{
				Code: codeAddress, Text: check.name + " is not an address of " + check.coin.Name, Status: http.StatusUnprocessableEntity,
				Details: map[string]string{"parameter": check.name},
			}
		}
	}
	return nil
}

// namedProvider returns the provider that must fill the trade; empty if the request names
// none. A known provider that is not allowed for the pair is refused.
func (f *Front) namedProvider(q *query, p exchange.Pair) (string, error) {
	name, err := q.text("provider")
	name = strings.ToLower(name)
	switch {
	case err != nil || name == "":
		return "", err
	case !f.Quoter.Knows(name):
		return "", badParameter("provider", "is not known")
	case !f.Quoter.Allows(p, name):
		return "", unavailable(codeRoute, q.either("the provider does not fill this pair", "the provider cannot fill this swap now"))
	}
	return name, nil
}

// memo refuses a memo for a coin that has none, because the client expects it to be sent.
func memo(q *query, name string, c coin.Coin) (*string, error) {
	value, err := q.optional(name)
	if err == nil && value != nil && !c.Memo {
		err = badParameter(name, "is not used by this coin")
	}
	return value, err
}

// webhookURL accepts https, and http on onion hosts, from partners.
func webhookURL(q *query, c Caller) (*string, error) {
	value, err := q.optional("webhook_url")
	if err != nil || value == nil {
		return nil, err
	}
	if c.Class != Partner {
		return nil, badParameter("webhook_url", "is for partners only")
	}
	u, err := url.Parse(*value)
	onion := err == nil && strings.HasSuffix(strings.ToLower(u.Hostname()), ".onion")
	if err != nil || (u.Scheme != "https" && !onion) || outbound.CheckURL(*value, onion) != nil {
		return nil, badParameter("webhook_url", "must be an https URL, or one of an onion host")
	}
	return value, nil
}

// bound returns the stored answer for a key that already has a trade, even if the pair has
// changed since; nil if the trade is still to be created. A key with another query is refused
// before that query is checked.
func (a *app) bound(ctx context.Context, c Caller, q *query) ([]byte, error) {
	found, err := a.Find(ctx, q.claim(c))
	if postgres.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !found.SameQuery || q.err != nil {
		return nil, conflict()
	}
	if found.ResponseSealed != nil {
		return a.Box.Unseal(found.ResponseSealed, secret.ResponsePlace.Of(found.TradeID))
	}
	row, err := a.Store.GetTrade(ctx, found.TradeID)
	if postgres.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.keepResponse(ctx, row)
}

func (q *query) claim(c Caller) Claim {
	return Claim{Scope: c.KeyID, Key: q.key, Query: q.values, For: KeptFor}
}

func conflict() error {
	return refused(http.StatusBadRequest, codeConflict, "the Idempotency-Key was used with other parameters")
}

// createOnce creates the trade of an idempotency key, or finds it, and returns the body of the
// answer. After a refusal the same query starts a new attempt.
func (a *app) createOnce(ctx context.Context, c Caller, q *query, req TradeRequest) ([]byte, error) {
	if err := a.PruneClaims(ctx); err != nil {
		return nil, err
	}
	claimed, err := a.Claim(ctx, a.Store.Queries, q.claim(c))
	if err != nil {
		return nil, err
	}
	if !claimed.SameQuery {
		return nil, conflict()
	}
	if claimed.ResponseSealed != nil {
		return a.Box.Unseal(claimed.ResponseSealed, secret.ResponsePlace.Of(claimed.TradeID))
	}
	row, err := a.made(ctx, claimed, req)
	if err != nil {
		return nil, a.rebindKey(ctx, claimed.TradeID, req, err)
	}
	return a.keepResponse(ctx, row)
}

func (a *app) made(ctx context.Context, claimed Claimed, req TradeRequest) (db.Trade, error) {
	if !claimed.New {
		if row, err := a.MadeBefore(ctx, claimed.TradeID); !postgres.IsNotFound(err) {
			return row, err
		}
	}
	return a.MadeTrade(ctx, claimed.TradeID, req)
}

// keepResponse stores the answer to the creation of a trade, unless one is stored already, and
// returns the stored one.
func (a *app) keepResponse(ctx context.Context, row db.Trade) ([]byte, error) {
	body, err := a.createdBody(row)
	if err != nil {
		return nil, err
	}
	sealed, err := a.Box.Seal(body, secret.ResponsePlace.Of(row.ID))
	if err != nil {
		return nil, err
	}
	kept, err := a.Store.KeepIdempotentResponse(ctx, db.KeepIdempotentResponseParams{TradeID: row.ID, ResponseSealed: sealed})
	if err != nil {
		return nil, err
	}
	return a.Box.Unseal(kept, secret.ResponsePlace.Of(row.ID))
}

// rebindKey binds the key of a refused trade to a new identifier if providers were asked to fill
// it, because a provider is asked once for an identifier.
func (a *app) rebindKey(ctx context.Context, id string, req TradeRequest, err error) error {
	refusal := refusalOf(err, req.AmountFrom)
	if _, refused := errors.AsType[*httpapi.Problem](refusal); !refused {
		return err
	}
	return cmp.Or(a.Store.RebindIdempotencyKey(ctx, db.RebindIdempotencyKeyParams{FreshID: secret.NewTradeID(), RefusedID: id}), refusal)
}
