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

// KeyHeader is the header with the key.
const KeyHeader = "Authorization"

// floating is the only kind of rate that this package orders.
const floating = "float"

// Provider is Exolix.
type Provider struct {
	Client *upstream.Client
	About  provider.Profile
	// Net is the net of its coins.
	Net coin.Net
}

// Profile returns the configured facts about Exolix.
func (p *Provider) Profile() provider.Profile { return p.About }

// symbol is Exolix's name of a coin.
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

// rateAnswer is the answer for a success and for a refusal of the amount (422).
type rateAnswer struct {
	ToAmount money.Loose  `json:"toAmount"`
	Min      *money.Loose `json:"minAmount"`
	Max      *money.Loose `json:"maxAmount"`
}

// Quote asks for the floating rate.
func (p *Provider) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	from, to := symbolOf(r.From), symbolOf(r.To)
	call := upstream.Get("/api/v2/rate", url.Values{
		"coinFrom": {from.code}, "networkFrom": {from.network}, "coinTo": {to.code}, "networkTo": {to.network},
		"amount": {r.Amount.String()}, "rateType": {floating},
	})
	var rate rateAnswer
	refused := func(a upstream.Answer) error { return refusal(a, r.Amount, provider.ErrPairUnsupported) }
	if err := p.Client.Read(ctx, call, &rate, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{Request: r, Rating: p.About.Rating, Min: bound(rate.Min), Max: bound(rate.Max)}
	return q.Priced(rate.ToAmount.Decimal)
}

// refusal returns a LimitError if the refusal contains limits that the amount
// violates, and otherwise other. It returns nil for an answer without a reason,
// because that does not come from Exolix.
func refusal(answer upstream.Answer, amount money.Decimal, other error) error {
	var rate rateAnswer
	if answer.Decode(&rate) == nil {
		if err := provider.CheckLimits(amount, bound(rate.Min), bound(rate.Max)); err != nil {
			return err
		}
	}
	if !saysWhy(answer) {
		return nil
	}
	return other
}

// saysWhy reports whether a refusal contains a reason, in either of the two forms
// that Exolix uses.
func saysWhy(answer upstream.Answer) bool {
	var body struct {
		Error   any `json:"error"`
		Message any `json:"message"`
	}
	return answer.Decode(&body) == nil && (body.Error != nil || body.Message != nil)
}

// bound returns a limit, or nil for 0, which means that there is none.
func bound(n *money.Loose) *money.Decimal {
	if n == nil || n.Sign() <= 0 {
		return nil
	}
	return &n.Decimal
}

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
	call := upstream.Call{Method: http.MethodPost, Path: "/api/v2/transactions", Body: orderBody{
		CoinFrom: from.code, NetworkFrom: from.network, CoinTo: to.code, NetworkTo: to.network, Amount: o.Amount,
		WithdrawalAddress: o.Address, WithdrawalExtraID: o.Memo, RefundAddress: o.Refund, RefundExtraID: o.RefundMemo,
		RateType: floating,
	}}
	var made transaction
	if err := p.Client.Place(ctx, call, &made, func(a upstream.Answer) error { return orderRefusal(a, o) }); err != nil {
		return provider.Swap{}, err
	}
	return o.Accept(made.swap(), made.WithdrawalAddress, p.Net)
}

// orderRefusal returns the error for a refusal of an order. Exolix does not refuse
// with a 503.
func orderRefusal(answer upstream.Answer, o provider.Order) error {
	if answer.Status == http.StatusServiceUnavailable {
		return nil
	}
	return refusal(answer, o.Amount, provider.ErrRefused)
}

// lookupRefusal returns ErrUnknownSwap if Exolix itself refuses the look-up.
func lookupRefusal(answer upstream.Answer) error {
	if !saysWhy(answer) {
		return nil
	}
	return provider.ErrUnknownSwap
}

// Status looks up a transaction.
func (p *Provider) Status(ctx context.Context, id string) (provider.Swap, error) {
	var found transaction
	call := upstream.Get("/api/v2/transactions/"+url.PathEscape(id), nil)
	if err := p.Client.Read(ctx, call, &found, lookupRefusal); err != nil {
		return provider.Swap{}, err
	}
	if found.ID != id {
		return provider.Swap{}, fmt.Errorf("%w: %w", provider.ErrUnavailable, upstream.ErrAnswer)
	}
	return found.swap(), nil
}

// transaction contains the used fields of a transaction.
type transaction struct {
	ID                string      `json:"id"`
	Status            string      `json:"status"`
	Amount            money.Loose `json:"amount"`
	AmountTo          money.Loose `json:"amountTo"`
	DepositAddress    string      `json:"depositAddress"`
	DepositExtraID    string      `json:"depositExtraId"`
	WithdrawalAddress string      `json:"withdrawalAddress"`
	HashIn            hash        `json:"hashIn"`
	HashOut           hash        `json:"hashOut"`
}

type hash struct {
	Hash string `json:"hash"`
}

func (t transaction) swap() provider.Swap {
	s := provider.Swap{
		ID: t.ID, State: state(t.Status), Word: t.Status, DepositAddress: t.DepositAddress, DepositMemo: t.DepositExtraID,
		AmountFrom: t.Amount.Decimal, AmountTo: t.AmountTo.Decimal, DepositTx: t.HashIn.Hash, PayoutTx: t.HashOut.Hash,
		Unpaid: t.HashIn.Hash == "",
	}
	if s.State == provider.Refunded || s.State == provider.Refunding { // the outgoing transaction is the refund
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s
}

// state maps Exolix's words to states. overdue means that the time for the
// deposit has passed, and deleted that the transaction was removed without a
// deposit.
func state(word string) provider.State {
	switch word {
	case "wait":
		return provider.Waiting
	case "confirmation":
		return provider.Confirming
	case "confirmed", "exchanging":
		return provider.Exchanging
	case "sending":
		return provider.Sending
	case "success":
		return provider.Finished
	case "refund":
		return provider.Refunding
	case "refunded":
		return provider.Refunded
	case "overdue", "deleted":
		return provider.Expired
	case "error":
		return provider.Failed
	default:
		return provider.Unknown
	}
}
