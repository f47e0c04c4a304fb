package exolix

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/upstream"
)

// KeyHeader carries the key.
const KeyHeader = "Authorization"

// floating is the only kind of rate that is asked for.
const floating = "float"

// Provider is Exolix.
type Provider struct {
	Client *upstream.Client
	About  provider.Profile
	// Net is where its coins live.
	Net coin.Net
}

// Profile is what is known of Exolix.
func (p *Provider) Profile() provider.Profile { return p.About }

// symbol is a coin as Exolix calls it.
type symbol struct{ code, network string }

func symbolOf(c coin.Coin) symbol {
	s := symbol{code: strings.ToUpper(c.Ticker), network: strings.ToUpper(c.Ticker)}
	switch c.Network {
	case "ERC20":
		s.network = "ETH"
	case "TRC20":
		s.network = "TRX"
	}
	return s
}

// rateAnswer comes with a success and with a refusal of the amount (422).
type rateAnswer struct {
	ToAmount money.Loose  `json:"toAmount"`
	Min      *money.Loose `json:"minAmount"`
	Max      *money.Loose `json:"maxAmount"`
}

// Quote asks for the floating rate.
func (p *Provider) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	from, to := symbolOf(r.From), symbolOf(r.To)
	answer, err := p.Client.Ask(ctx, upstream.Get("/api/v2/rate", url.Values{
		"coinFrom": {from.code}, "networkFrom": {from.network}, "coinTo": {to.code}, "networkTo": {to.network},
		"amount": {r.Amount.String()}, "rateType": {floating},
	}))
	if err != nil {
		return provider.Quote{}, err
	}
	var rate rateAnswer
	decoded := answer.Decode(&rate)
	q := provider.Quote{Request: r, Rating: p.About.Rating, Min: bound(rate.Min), Max: bound(rate.Max)}
	switch {
	case !answer.OK():
		if err := provider.CheckLimits(r.Amount, q.Min, q.Max); err != nil {
			return provider.Quote{}, err
		}
		return provider.Quote{}, provider.ErrPairUnsupported
	case decoded != nil:
		return provider.Quote{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, decoded)
	}
	return q.Priced(rate.ToAmount.Decimal)
}

// bound is a limit; 0 means that there is none.
func bound(n *money.Loose) *money.Decimal {
	if n == nil || n.Sign() <= 0 {
		return nil
	}
	return &n.Decimal
}

// orderBody orders a transaction.
type orderBody struct {
	CoinFrom          string        `json:"coinFrom"`
	NetworkFrom       string        `json:"networkFrom"`
	CoinTo            string        `json:"coinTo"`
	NetworkTo         string        `json:"networkTo"`
	Amount            money.Decimal `json:"amount"`
	WithdrawalAddress string        `json:"withdrawalAddress"`
	WithdrawalExtraID string        `json:"withdrawalExtraId,omitempty"`
	RefundAddress     string        `json:"refundAddress"`
	RefundExtraID     string        `json:"refundExtraId,omitempty"`
	RateType          string        `json:"rateType"`
}

// Create orders a transaction at the floating rate.
func (p *Provider) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	from, to := symbolOf(o.From), symbolOf(o.To)
	answer, err := p.Client.Order(ctx, upstream.Call{Method: http.MethodPost, Path: "/api/v2/transactions", Body: orderBody{
		CoinFrom: from.code, NetworkFrom: from.network, CoinTo: to.code, NetworkTo: to.network, Amount: o.Amount,
		WithdrawalAddress: o.Address, WithdrawalExtraID: o.Memo, RefundAddress: o.Refund, RefundExtraID: o.RefundMemo,
		RateType: floating,
	}})
	if err != nil {
		return provider.Swap{}, err
	}
	if !answer.OK() {
		return provider.Swap{}, orderRefusal(answer, o)
	}
	var made transaction
	if err := answer.Decode(&made); err != nil {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUncertain, err)
	}
	return o.Accept(made.swap(), made.WithdrawalAddress, p.Net)
}

func orderRefusal(answer upstream.Answer, o provider.Order) error {
	if answer.Status == http.StatusServiceUnavailable {
		return fmt.Errorf("%w: status %d", provider.ErrUncertain, answer.Status)
	}
	var rate rateAnswer
	if answer.Decode(&rate) == nil {
		if err := provider.CheckLimits(o.Amount, bound(rate.Min), bound(rate.Max)); err != nil {
			return err
		}
	}
	return provider.ErrRefused
}

// Status looks a transaction up.
func (p *Provider) Status(ctx context.Context, id string) (provider.Swap, error) {
	answer, err := p.Client.Ask(ctx, upstream.Get("/api/v2/transactions/"+url.PathEscape(id), nil))
	if err != nil {
		return provider.Swap{}, err
	}
	if !answer.OK() {
		return provider.Swap{}, provider.ErrUnknownSwap
	}
	var found transaction
	if err := answer.Decode(&found); err != nil || found.ID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, upstream.ErrAnswer)
	}
	return found.swap(), nil
}
