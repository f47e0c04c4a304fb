package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

// PartnerKey is what an operator issues.
type PartnerKey struct {
	Key    string `json:"key"`
	Secret string `json:"secret"`
}

// Partner calls an exchange.
type Partner struct {
	// URL is the base URL of the exchange.
	URL string
	Key PartnerKey
	// HTTP makes the calls; http.DefaultClient when nil.
	HTTP *http.Client
}

// Pair is the coin that is given and the coin that is taken, both on their main networks.
type Pair struct{ From, To string }

// Query are the parameters of a question about an amount.
func (p Pair) Query(amount money.Decimal) url.Values {
	return url.Values{
		"ticker_from": {p.From}, "network_from": {"Mainnet"}, "ticker_to": {p.To}, "network_to": {"Mainnet"},
		"amount_from": {amount.String()},
	}
}

// Quote is what an amount would pay now.
type Quote struct {
	AmountTo string `json:"amount_to"`
	Rate     string `json:"rate"`
	Policy   string `json:"policy"`
	Best     string `json:"best_provider"`
	Fees     string `json:"included_fees_usd"`
	Min      string `json:"min_amount_from"`
	Max      string `json:"max_amount_from"`
}

// Trade is a trade as its creation and its lookup show it.
type Trade struct {
	ID       string `json:"trade_id"`
	Status   string `json:"status"`
	Detail   string `json:"status_detail"`
	Provider string `json:"provider"`
	// IDProvider is the provider's name of the trade.
	IDProvider string  `json:"id_provider"`
	AmountTo   string  `json:"amount_to"`
	Rate       string  `json:"rate"`
	Deposit    string  `json:"address_provider"`
	Received   string  `json:"amount_received"`
	Payout     *string `json:"payout_tx_hash"`
	Refund     *string `json:"refund_tx_hash"`
}

// Order is what a trade is asked for.
type Order struct {
	Pair
	Amount          money.Decimal
	Address, Refund string
	// Provider is the provider that fills it; empty for the best one.
	Provider string
	// Webhook receives each status; empty for none.
	Webhook string
}

// Quote asks what an amount would pay.
func (c Partner) Quote(ctx context.Context, p Pair, amount money.Decimal) (Quote, error) {
	var q Quote
	return q, c.get(ctx, "new_rate", p.Query(amount), http.StatusOK, &q)
}

// Trade makes a trade.
func (c Partner) Trade(ctx context.Context, o Order) (Trade, error) {
	query := o.Query(o.Amount)
	query.Set("address", o.Address)
	query.Set("refund", o.Refund)
	if o.Provider != "" {
		query.Set("provider", o.Provider)
	}
	if o.Webhook != "" {
		query.Set("webhook_url", o.Webhook)
	}
	var made Trade
	return made, c.get(ctx, "new_trade", query, http.StatusCreated, &made)
}

// Find finds a trade.
func (c Partner) Find(ctx context.Context, id string) (Trade, error) {
	var found []Trade
	err := c.get(ctx, "trade", url.Values{"id": {id}}, http.StatusOK, &found)
	if err != nil {
		return Trade{}, err
	}
	if len(found) != 1 {
		return Trade{}, fmt.Errorf("%d trades are called %s", len(found), id)
	}
	return found[0], nil
}

func (c Partner) get(ctx context.Context, path string, query url.Values, want int, into any) error {
	header := map[string]string{"Idempotency-Key": secret.NewTradeID()}
	if c.Key.Key != "" {
		header["API-Key"] = c.Key.Key
	}
	answer, err := Send(ctx, c.HTTP, http.MethodGet, c.URL+"/api/v1/"+path+"?"+query.Encode(), header, nil)
	if err != nil {
		return err
	}
	if answer.Status != want {
		return fmt.Errorf("%s answers %s: %s", path, answer.Line, answer.Body)
	}
	return json.Unmarshal(answer.Body, into)
}
