package clients

import (
	"context"
	"net/http"
	"net/url"

	"github.com/durapay/durapay/internal/money"
)

// SwapQuote is an offer of a swap provider.
type SwapQuote struct {
	From         string        `json:"from"`
	To           string        `json:"to"`
	Amount       money.Decimal `json:"amount"`
	QuoteID      string        `json:"quoteId"`
	OutputAmount money.Decimal `json:"outputAmount"`
	Provider     string        `json:"provider"`
}

// NewSwap asks for a swap; without a refund address it is the payout address.
type NewSwap struct {
	From          string        `json:"from"`
	To            string        `json:"to"`
	Amount        money.Decimal `json:"amount"`
	Address       string        `json:"address"`
	QuoteID       string        `json:"quoteId"`
	RefundAddress string        `json:"refundAddress,omitempty"`
}

// Swap is a swap. Only answers about its status have the fields from UpdatedAt on.
type Swap struct {
	ID               string  `json:"id"`
	SwapID           string  `json:"swapId"`
	Provider         string  `json:"provider"`
	DepositAddress   string  `json:"depositAddress"`
	AmountFrom       string  `json:"amountFrom"`
	AmountToExpected string  `json:"amountToExpected"`
	Status           string  `json:"status"`
	ExpiresAt        string  `json:"expiresAt"`
	Instructions     string  `json:"instructions"`
	UpdatedAt        string  `json:"updatedAt"`
	StatusDetail     *string `json:"statusDetail"`
	AmountTo         *string `json:"amountTo"`
	TxDeposit        *string `json:"txDeposit"`
	TxPayout         *string `json:"txPayout"`
	TxRefund         *string `json:"txRefund"`
}

// SwapQuote asks what an amount of XMR would bring in another coin.
func (c *Merchant) SwapQuote(ctx context.Context, to string, amount money.Decimal) (SwapQuote, error) {
	var q SwapQuote
	query := url.Values{"to": {to}, "amount": {amount.String()}}
	return q, c.call(ctx, http.MethodGet, "/api/swap/quote?"+query.Encode(), nil, &q)
}

// CreateSwap orders a swap.
func (c *Merchant) CreateSwap(ctx context.Context, in NewSwap) (Swap, error) {
	var s Swap
	return s, c.call(ctx, http.MethodPost, "/api/swap/create", in, &s)
}

// SwapStatus asks where a swap stands.
func (c *Merchant) SwapStatus(ctx context.Context, id string) (Swap, error) {
	var s Swap
	return s, c.call(ctx, http.MethodGet, "/api/swap/status/"+url.PathEscape(id), nil, &s)
}

// Swaps lists the newest swaps.
func (c *Merchant) Swaps(ctx context.Context) ([]Swap, error) {
	var list struct {
		Swaps []Swap `json:"swaps"`
	}
	return list.Swaps, c.call(ctx, http.MethodGet, "/api/swaps", nil, &list)
}
