package adapter

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// floating is the only kind of rate that is ordered from Exolix.
const floating = "float"

// exolix implements version 2 of Exolix's API at floating rates.
type exolix struct{ base }

// Exolix returns an adapter for Exolix.
func Exolix(c *Client, about provider.Profile) provider.Provider { return exolix{base{c, about}} }

// exolixSymbol is Exolix's name of a coin.
type exolixSymbol struct{ code, network string }

func exolixSymbolOf(c coin.Coin) exolixSymbol {
	s := exolixSymbol{code: strings.ToUpper(c.Ticker), network: strings.ToUpper(c.Ticker)}
	switch c.Network {
	case "ERC20":
		s.network = "ETH"
	case "TRC20":
		s.network = "TRX"
	}
	return s
}

// exolixRate is the answer for a success and for a refusal of the amount (422).
type exolixRate struct {
	ToAmount money.Loose  `json:"toAmount"`
	Min      *money.Loose `json:"minAmount"`
	Max      *money.Loose `json:"maxAmount"`
}

// limits returns the limits. A limit of 0 means that there is none.
func (r exolixRate) limits() (lowest, highest *money.Decimal) {
	positive := func(n *money.Loose) *money.Decimal {
		if n == nil || n.Sign() <= 0 {
			return nil
		}
		return &n.Decimal
	}
	return positive(r.Min), positive(r.Max)
}

// Quote asks for the floating rate.
func (p exolix) Quote(ctx context.Context, r provider.Request) (provider.Quote, error) {
	from, to := exolixSymbolOf(r.From), exolixSymbolOf(r.To)
	call := get("/api/v2/rate", url.Values{
		"coinFrom": {from.code}, "networkFrom": {from.network}, "coinTo": {to.code}, "networkTo": {to.network},
		"amount": {r.Amount.String()}, "rateType": {floating},
	})
	var rate exolixRate
	refused := func(a answer) error { return exolixRefusal(a, r.Amount, provider.ErrPairUnsupported) }
	if err := p.client.read(ctx, call, &rate, refused); err != nil {
		return provider.Quote{}, err
	}
	q := provider.Quote{Request: r, Rating: p.about.Rating}
	q.Min, q.Max = rate.limits()
	return q.Priced(rate.ToAmount.Decimal)
}

// exolixRefusal returns a LimitError if the refusal contains limits that the amount
// violates, and otherwise other. It returns nil for an answer without a reason,
// because that does not come from Exolix.
func exolixRefusal(reply answer, amount money.Decimal, other error) error {
	var rate exolixRate
	if reply.decode(&rate) {
		lowest, highest := rate.limits()
		if err := provider.CheckLimits(amount, lowest, highest); err != nil {
			return err
		}
	}
	return exolixWithReason(reply, other)
}

// exolixWithReason returns an error for a refusal with a reason, in either of the two
// forms that Exolix uses, and nil for other answers.
func exolixWithReason(reply answer, err error) error {
	var body struct {
		Error   any `json:"error"`
		Message any `json:"message"`
	}
	if !reply.decode(&body) || (body.Error == nil && body.Message == nil) {
		return nil
	}
	return err
}

type exolixOrder struct {
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

// Create orders a transaction at the floating rate. Exolix does not refuse with a 503.
func (p exolix) Create(ctx context.Context, o provider.Order) (provider.Swap, error) {
	from, to := exolixSymbolOf(o.From), exolixSymbolOf(o.To)
	call := post("/api/v2/transactions", exolixOrder{
		CoinFrom: from.code, NetworkFrom: from.network, CoinTo: to.code, NetworkTo: to.network, Amount: o.Amount,
		WithdrawalAddress: o.Address, WithdrawalExtraID: o.Memo, RefundAddress: o.Refund, RefundExtraID: o.RefundMemo,
		RateType: floating,
	})
	return order[exolixTransaction](ctx, p.base, o, call, func(a answer) error {
		if a.status == http.StatusServiceUnavailable {
			return nil
		}
		return exolixRefusal(a, o.Amount, provider.ErrRefused)
	})
}

// Status looks up a transaction.
func (p exolix) Status(ctx context.Context, id string) (provider.Swap, error) {
	call := get("/api/v2/transactions/"+url.PathEscape(id), nil)
	return look[exolixTransaction](ctx, p.base, id, call, func(a answer) error {
		return exolixWithReason(a, provider.ErrUnknownSwap)
	})
}

// exolixTransaction contains the used fields of a transaction.
type exolixTransaction struct {
	ID                string      `json:"id"`
	Status            string      `json:"status"`
	Amount            money.Loose `json:"amount"`
	AmountTo          money.Loose `json:"amountTo"`
	DepositAddress    string      `json:"depositAddress"`
	DepositExtraID    string      `json:"depositExtraId"`
	WithdrawalAddress string      `json:"withdrawalAddress"`
	HashIn            exolixHash  `json:"hashIn"`
	HashOut           exolixHash  `json:"hashOut"`
}

type exolixHash struct {
	Hash string `json:"hash"`
}

// swap maps the words to states: overdue means that the time for the deposit has passed,
// and deleted that the transaction was removed without a deposit.
func (t exolixTransaction) swap() (s provider.Swap, paidTo string) {
	s = provider.Swap{
		ID: t.ID, Word: t.Status, DepositAddress: t.DepositAddress, DepositMemo: t.DepositExtraID,
		AmountFrom: t.Amount.Decimal, AmountTo: t.AmountTo.Decimal, DepositTx: t.HashIn.Hash, PayoutTx: t.HashOut.Hash,
		Unpaid: t.HashIn.Hash == "",
		State: stateOf(t.Status, map[string]provider.State{
			"wait": provider.Waiting, "confirmation": provider.Confirming, "confirmed": provider.Exchanging, "exchanging": provider.Exchanging,
			"sending": provider.Sending, "success": provider.Finished, "refund": provider.Refunding, "refunded": provider.Refunded,
			"overdue": provider.Expired, "deleted": provider.Expired, "error": provider.Failed,
		}),
	}
	if s.State == provider.Refunded || s.State == provider.Refunding { // the outgoing transaction is the refund
		s.PayoutTx, s.RefundTx = "", s.PayoutTx
	}
	return s, t.WithdrawalAddress
}
