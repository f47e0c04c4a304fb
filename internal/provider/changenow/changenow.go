package changenow

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// KeyHeader is the header with the key.
const KeyHeader = "X-Changenow-Api-Key"

// The only kind of exchange that this package orders: floating, from a given
// amount.
const (
	flow      = "standard"
	direction = "direct"
)

// Provider is ChangeNOW.
type Provider struct {
	Client *upstream.Client
	About  provider.Profile
	// Net is the net of its coins.
	Net coin.Net
}

// Profile returns the configured facts about ChangeNOW.
func (p *Provider) Profile() provider.Profile { return p.About }

// networkOf returns ChangeNOW's name of the network.
func networkOf(c coin.Coin) string {
	switch c.Network {
	case "ERC20":
		return "eth"
	case "TRC20":
		return "trx"
	default:
		return c.Ticker
	}
}

func pairQuery(r provider.Request) url.Values {
	return url.Values{
		"fromCurrency": {r.From.Ticker}, "fromNetwork": {networkOf(r.From)},
		"toCurrency": {r.To.Ticker}, "toNetwork": {networkOf(r.To)}, "flow": {flow},
	}
}

// Quote first asks for the limits, because ChangeNOW refuses an estimate outside
// of them without reporting them.
func (p *Provider) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	lowest, highest, err := p.limits(ctx, r)
	if err != nil {
		return provider.Quote{}, err
	}
	if err := provider.CheckLimits(r.Amount, lowest, highest); err != nil {
		return provider.Quote{}, err
	}
	query := pairQuery(r)
	query.Set("fromAmount", r.Amount.String())
	query.Set("type", direction)
	var estimate struct {
		ToAmount   money.Loose `json:"toAmount"`
		RateID     string      `json:"rateId"`
		ValidUntil *time.Time  `json:"validUntil"`
	}
	if err := p.read(ctx, "/v2/exchange/estimated-amount", query, &estimate); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{Request: r, Rating: p.About.Rating, Min: lowest, Max: highest, Reference: estimate.RateID}
	if estimate.ValidUntil != nil {
		q.ExpiresAt = estimate.ValidUntil.UTC()
	}
	return q.Priced(estimate.ToAmount.Decimal)
}

func (p *Provider) limits(ctx context.Context, r provider.Request) (lowest, highest *money.Decimal, err error) {
	var answer struct {
		Min *money.Loose `json:"minAmount"`
		Max *money.Loose `json:"maxAmount"`
	}
	if err := p.read(ctx, "/v2/exchange/range", pairQuery(r), &answer); err != nil {
		return nil, nil, err
	}
	return bound(answer.Min), bound(answer.Max), nil
}

func bound(n *money.Loose) *money.Decimal {
	if n == nil {
		return nil
	}
	return &n.Decimal
}

// read asks about a pair. Every refusal means that the pair is not supported.
func (p *Provider) read(ctx context.Context, path string, query url.Values, into any) error {
	return p.Client.Read(ctx, upstream.Get(path, query), into, refusedAs(provider.ErrPairUnsupported))
}

// orderBody is the body of an order. Its amount is a string.
type orderBody struct {
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
func (p *Provider) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	call := upstream.Call{Method: http.MethodPost, Path: "/v2/exchange", Body: orderBody{
		FromCurrency: o.From.Ticker, FromNetwork: networkOf(o.From), ToCurrency: o.To.Ticker, ToNetwork: networkOf(o.To),
		FromAmount: o.Amount.String(), Address: o.Address, ExtraID: o.Memo, RefundAddress: o.Refund, RefundExtraID: o.RefundMemo,
		RateID: o.Reference, Flow: flow, Type: direction,
	}}
	var made created
	if err := p.Client.Place(ctx, call, &made, orderRefusal); err != nil {
		return provider.Swap{}, err
	}
	return o.Accept(made.swap(), made.PayoutAddress, p.Net)
}

// codeOf returns the code of a refusal. It is empty if the answer has another
// form, because it then does not come from ChangeNOW.
func codeOf(answer upstream.Answer) string {
	var body struct {
		Error string `json:"error"`
	}
	if answer.Decode(&body) != nil {
		return ""
	}
	return body.Error
}

// refusedAs returns err for every refusal. It is for calls whose refusals all mean
// the same.
func refusedAs(err error) upstream.Refused {
	return func(answer upstream.Answer) error {
		if codeOf(answer) == "" {
			return nil
		}
		return err
	}
}

// orderRefusal returns the error for the code of a refusal. ChangeNOW does not
// refuse with a 503.
func orderRefusal(answer upstream.Answer) error {
	if answer.Status == http.StatusServiceUnavailable {
		return nil
	}
	switch codeOf(answer) {
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
func (p *Provider) Status(ctx context.Context, id string) (provider.Swap, error) {
	var found exchange
	call := upstream.Get("/v2/exchange/by-id", url.Values{"id": {id}})
	if err := p.Client.Read(ctx, call, &found, refusedAs(provider.ErrUnknownSwap)); err != nil {
		return provider.Swap{}, err
	}
	if found.ID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, upstream.ErrAnswer)
	}
	return found.swap(), nil
}
