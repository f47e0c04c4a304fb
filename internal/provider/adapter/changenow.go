package adapter

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// The only kind of exchange that is ordered from ChangeNOW: floating, from a given
// amount.
const (
	flow      = "standard"
	direction = "direct"
)

// changeNOW implements the standard flow of version 2 of ChangeNOW's API at floating
// rates.
type changeNOW struct{ base }

// ChangeNOW returns an adapter for ChangeNOW.
func ChangeNOW(c *Client, about provider.Profile) provider.Provider { return changeNOW{base{c, about}} }

// changeNOWNetwork returns ChangeNOW's name of the network.
func changeNOWNetwork(c coin.Coin) string {
	switch c.Network {
	case "ERC20":
		return "eth"
	case "TRC20":
		return "trx"
	default:
		return c.Ticker
	}
}

func changeNOWQuery(r provider.Request) url.Values {
	return url.Values{
		"fromCurrency": {r.From.Ticker}, "fromNetwork": {changeNOWNetwork(r.From)},
		"toCurrency": {r.To.Ticker}, "toNetwork": {changeNOWNetwork(r.To)}, "flow": {flow},
	}
}

// Quote first asks for the limits, because ChangeNOW refuses an estimate outside
// of them without reporting them. Every refusal means that the pair is not supported.
func (p changeNOW) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	var limits struct {
		Min *money.Loose `json:"minAmount"`
		Max *money.Loose `json:"maxAmount"`
	}
	if err := p.client.read(ctx, get("/v2/exchange/range", changeNOWQuery(r)), &limits, withCode(provider.ErrPairUnsupported)); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{Request: r, Rating: p.about.Rating, Min: bound(limits.Min), Max: bound(limits.Max)}
	if err := provider.CheckLimits(r.Amount, q.Min, q.Max); err != nil {
		return provider.Quote{}, err
	}
	query := changeNOWQuery(r)
	query.Set("fromAmount", r.Amount.String())
	query.Set("type", direction)
	var estimate struct {
		ToAmount   money.Loose `json:"toAmount"`
		RateID     string      `json:"rateId"`
		ValidUntil *time.Time  `json:"validUntil"`
	}
	if err := p.client.read(ctx, get("/v2/exchange/estimated-amount", query), &estimate, withCode(provider.ErrPairUnsupported)); err != nil {
		return provider.Quote{}, err
	}
	q.Reference = estimate.RateID
	if estimate.ValidUntil != nil {
		q.ExpiresAt = estimate.ValidUntil.UTC()
	}
	return q.Priced(estimate.ToAmount.Decimal)
}

// changeNOWOrder is the body of an order. Its amount is a string.
type changeNOWOrder struct {
	FromCurrency  string `json:"fromCurrency"`
	FromNetwork   string `json:"fromNetwork"`
	ToCurrency    string `json:"toCurrency"`
	ToNetwork     string `json:"toNetwork"`
	FromAmount    string `json:"fromAmount"`
	Address       string `json:"address"`
	ExtraID       string `json:"extraId"`
	RefundAddress string `json:"refundAddress"`
	RefundExtraID string `json:"refundExtraId"`
	RateID        string `json:"rateId,omitempty"`
	Flow          string `json:"flow"`
	Type          string `json:"type"`
}

// Create orders an exchange at the floating rate.
func (p changeNOW) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	return order[changeNOWCreated](ctx, p.base, o, post("/v2/exchange", changeNOWOrder{
		FromCurrency: o.From.Ticker, FromNetwork: changeNOWNetwork(o.From), ToCurrency: o.To.Ticker, ToNetwork: changeNOWNetwork(o.To),
		FromAmount: o.Amount.String(), Address: o.Address, ExtraID: o.Memo, RefundAddress: o.Refund, RefundExtraID: o.RefundMemo,
		RateID: o.Reference, Flow: flow, Type: direction,
	}), changeNOWRefusal)
}

// withCode returns err for every refusal with a code. It is for calls whose refusals all
// mean the same.
func withCode(err error) refused {
	return func(reply answer) error {
		if errorText(reply) == "" {
			return nil
		}
		return err
	}
}

// changeNOWRefusal returns the error for the code of a refused order. ChangeNOW does not
// refuse with a 503.
func changeNOWRefusal(reply answer) error {
	if reply.status == http.StatusServiceUnavailable {
		return nil
	}
	switch errorText(reply) {
	case "":
		return nil
	case "deposit_too_small":
		return &provider.LimitError{Kind: provider.ErrBelowMin}
	case "deposit_too_big":
		return &provider.LimitError{Kind: provider.ErrAboveMax}
	case "pair_is_inactive":
		return provider.ErrPairUnsupported
	}
	return provider.ErrRefused
}

// Status looks up an exchange.
func (p changeNOW) Status(ctx context.Context, id string) (provider.Swap, error) {
	call := get("/v2/exchange/by-id", url.Values{"id": {id}})
	return look[changeNOWExchange](ctx, p.base, id, call, withCode(provider.ErrUnknownSwap))
}

// changeNOWCreated is the answer to an order.
type changeNOWCreated struct {
	ID            string      `json:"id"`
	PayinAddress  string      `json:"payinAddress"`
	PayinExtraID  string      `json:"payinExtraId"`
	PayoutAddress string      `json:"payoutAddress"`
	FromAmount    money.Loose `json:"fromAmount"`
	ToAmount      money.Loose `json:"toAmount"`
}

func (c changeNOWCreated) swap() (s provider.Swap, paidTo string) {
	return provider.Swap{
		ID: c.ID, State: provider.Waiting, Word: "new", DepositAddress: c.PayinAddress, DepositMemo: c.PayinExtraID,
		AmountFrom: c.FromAmount.Decimal, AmountTo: c.ToAmount.Decimal,
	}, c.PayoutAddress
}

// changeNOWExchange contains the used fields of an exchange's status. The amounts are
// null until they are known.
type changeNOWExchange struct {
	ID           string       `json:"id"`
	Status       string       `json:"status"`
	PayinAddress string       `json:"payinAddress"`
	PayinExtraID string       `json:"payinExtraId"`
	ExpectedFrom *money.Loose `json:"expectedAmountFrom"`
	ExpectedTo   *money.Loose `json:"expectedAmountTo"`
	AmountFrom   *money.Loose `json:"amountFrom"`
	AmountTo     *money.Loose `json:"amountTo"`
	PayinHash    string       `json:"payinHash"`
	PayoutHash   string       `json:"payoutHash"`
	RefundHash   string       `json:"refundHash"`
	ValidUntil   *time.Time   `json:"validUntil"`
}

func (e changeNOWExchange) swap() (s provider.Swap, paidTo string) {
	var none money.Loose
	s = provider.Swap{
		ID: e.ID, Word: e.Status, DepositAddress: e.PayinAddress, DepositMemo: e.PayinExtraID,
		AmountFrom: cmp.Or(e.AmountFrom, e.ExpectedFrom, &none).Decimal, AmountTo: cmp.Or(e.AmountTo, e.ExpectedTo, &none).Decimal,
		DepositTx: e.PayinHash, PayoutTx: e.PayoutHash, RefundTx: e.RefundHash,
		Unpaid: e.PayinHash == "" && e.AmountFrom == nil,
		State: stateOf(e.Status, map[string]provider.State{
			"new": provider.Waiting, "waiting": provider.Waiting, "confirming": provider.Confirming, "exchanging": provider.Exchanging,
			"sending": provider.Sending, "finished": provider.Finished, "failed": provider.Failed, "refunded": provider.Refunded,
			"expired": provider.Expired, "verifying": provider.Verifying,
		}),
	}
	if e.ValidUntil != nil {
		s.ExpiresAt = e.ValidUntil.UTC()
	}
	return s, ""
}
