package swap

import (
	"bytes"
	"context"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// TradeHead holds the fields that creation and lookup share.
type TradeHead struct {
	TradeID     string    `json:"trade_id"`
	Status      string    `json:"status"                doc:"pending at creation; then awaiting_deposit, deposit_detected, confirming, processing, sending, completed, refunded, failed, expired or hold"`
	TickerFrom  string    `json:"ticker_from"`
	TickerTo    string    `json:"ticker_to"`
	NetworkFrom string    `json:"network_from"`
	NetworkTo   string    `json:"network_to"`
	AmountFrom  string    `json:"amount_from"`
	AmountTo    string    `json:"amount_to"             doc:"What amount_from pays"`
	Rate        string    `json:"rate"                  doc:"Locked: a deposit pays amount received × rate. What exceeds the announced amount by more than 1 % is paid at the price when it has its confirmations, never better"`
	Provider    string    `json:"provider"`
	IDProvider  string    `json:"id_provider"           doc:"Identifier of the swap at its provider"`
	Deposit     string    `json:"address_provider"      doc:"Where the funds are to be sent"`
	DepositMemo *string   `json:"address_provider_memo" doc:"Memo or tag that the deposit needs"`
	Refund      string    `json:"refund_address"`
	Address     string    `json:"address_user"          doc:"Receives the output"`
	Password    string    `json:"password"              doc:"Looks the trade up, 32 hex digits"`
	Date        wire.Time `json:"date"`
	ExpiresAt   wire.Time `json:"expires_at"            doc:"End of the deposit window"`
	Note        *string   `json:"note"`
}

type createdTrade struct {
	TradeHead

	Risk            string  `json:"risk"                   enum:"auto,flexible,precheck,controlled"`
	WindowSeconds   int32   `json:"deposit_window_seconds"`
	ExplorerDeposit *string `json:"explorer_url_deposit" doc:"Page of the deposit address; null where its chain shows none, or no explorer is configured"`
	ExplorerPayout  *string `json:"explorer_url_payout" doc:"Page of the receiving address, likewise"`
}

// foundTrade is an element of the answer of trade.
type foundTrade struct {
	TradeHead

	Detail    string    `json:"status_detail"   doc:"Why the trade stands where it does; empty on the usual way"`
	Received  string    `json:"amount_received"`
	DepositTx *string   `json:"deposit_tx_hash"`
	PayoutTx  *string   `json:"payout_tx_hash"`
	RefundTx  *string   `json:"refund_tx_hash"  doc:"The last refund, if there were several"`
	UpdatedAt wire.Time `json:"updated_at"      doc:"When the status, its detail, the amount received or a hash last changed"`
}

func (a *app) head(row db.Trade) (TradeHead, error) {
	details, err := a.Details(row)
	return TradeHead{
		TradeID: row.ID, Status: row.Status, TickerFrom: row.TickerFrom, TickerTo: row.TickerTo,
		NetworkFrom: row.NetworkFrom, NetworkTo: row.NetworkTo, AmountFrom: row.AmountFrom.String(), AmountTo: row.AmountTo.String(),
		Rate: row.Rate.String(), Provider: row.Provider, IDProvider: row.IDProvider, Deposit: row.DepositAddress, DepositMemo: details.DepositMemo,
		Refund: details.Refund, Address: details.Address, Password: details.Password, Date: wire.TimeOf(row.CreatedAt),
		ExpiresAt: wire.TimeOf(row.ExpiresAt), Note: details.Note,
	}, err
}

// createdBody returns the body of a creation's answer. It contains only fields of the trade
// that never change, so it is the same at any time.
func (a *app) createdBody(row db.Trade) ([]byte, error) {
	head, err := a.head(row)
	if err != nil {
		return nil, err
	}
	head.Status = "pending"
	var body bytes.Buffer
	err = httpapi.Write(&body, createdTrade{
		TradeHead: head, Risk: row.Risk, WindowSeconds: row.WindowSeconds,
		ExplorerDeposit: a.Explorers.Address(row.TickerFrom, row.NetworkFrom, row.DepositAddress),
		ExplorerPayout:  a.Explorers.Address(row.TickerTo, row.NetworkTo, head.Address),
	})
	return body.Bytes(), err
}

func (a *app) foundTrade(ctx context.Context, row db.Trade) (foundTrade, error) {
	head, err := a.head(row)
	if err != nil {
		return foundTrade{}, err
	}
	txs, err := a.Store.TradeTransactions(ctx, row.ID)
	return foundTrade{
		TradeHead: head, Detail: row.StatusDetail, Received: row.Received.String(), DepositTx: orNull(txs.DepositTx),
		PayoutTx: orNull(txs.PayoutTx), RefundTx: orNull(txs.RefundTx), UpdatedAt: wire.TimeOf(txs.ChangedAt),
	}, err
}

// orNull returns nil for an empty text.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (a *app) lookup(ctx context.Context, q *query) (*httpapi.Out[[]foundTrade], error) {
	id, err := q.needed("id")
	if err != nil {
		return nil, err
	}
	password, err := q.text("password")
	if err != nil {
		return nil, err
	}
	row, err := a.Store.GetTrade(ctx, id)
	if err != nil {
		return nil, httpapi.Missing(err, refused(http.StatusNotFound, codeTradeNotFound, "there is no such trade"))
	}
	found, err := a.foundTrade(ctx, row)
	if err != nil {
		return nil, err
	}
	if q.values.Has("password") && !secret.Equal([]byte(password), []byte(found.Password)) {
		return nil, refused(http.StatusUnauthorized, codeUnauthorized, "the password is not that of the trade")
	}
	return httpapi.With([]foundTrade{found}, nil)
}
