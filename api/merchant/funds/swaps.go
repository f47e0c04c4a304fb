package funds

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/internal/wire"
	"github.com/durapay/durapay/workflows"
)

// Swaps answers requests about swaps.
type Swaps struct {
	Store *postgres.Store
	Box   *secret.Box
	Start service.Workflows
	// Quotes gets quotes of swaps.
	Quotes *swapquote.Quotes
	Clock  func() time.Time
	Log    *slog.Logger
}

// Register registers quotes and the swaps of merchants.
func (h *Swaps) Register(api operation.API) {
	operation.Public(api, operation.Route{ID: "getSwapQuote", At: "GET /api/swap/quote"}, h.swapQuote)
	operation.Public(api, operation.Route{ID: "getSwapRate", At: "GET /api/swap/rate"}, h.swapQuote)
	operation.Public(api, operation.Route{ID: "listSwapQuotes", At: "GET /api/swap/quotes"}, h.swapQuotes)
	operation.WithSession(api, operation.Route{ID: "createSwap", At: "POST /api/swap/create", Slow: true}, h.createSwap)
	operation.WithSession(api, operation.Route{ID: "getSwap", At: "GET /api/swap/status/{id}", Slow: true}, h.getSwap)
	operation.WithSession(api, operation.Route{ID: "listSwaps", At: "GET /api/swaps"}, h.listSwaps)
}

const (
	// listedSwaps is the maximum length of the list of swaps.
	listedSwaps = 50
	// askedJustNow is how long a provider's answer counts as current.
	askedJustNow = 2 * time.Second
)

// swapName is the form of a swap's identifier, ours or a provider's.
var swapName = regexp.MustCompile(`^[!-~]{1,128}$`)

// SwapMade is the answer to the creation of a swap. None of it changes later. It is exported
// because the documents leave out embedded types that are not.
type SwapMade struct {
	ID               string      `json:"id" doc:"Swap identifier" example:"swp_0123456789abcdef01234567"`
	SwapID           string      `json:"swapId" doc:"The provider's own identifier of the swap, for its support"`
	Provider         string      `json:"provider" doc:"Who swaps"`
	DepositAddress   string      `json:"depositAddress" doc:"The provider's address: where the coins are to be sent"`
	DepositMemo      *string     `json:"depositMemo" doc:"Memo or tag that the deposit must carry; null when there is none"`
	AmountFrom       string      `json:"amountFrom" doc:"What is to be sent: a decimal in whole coins of from" example:"1.5"`
	AmountToExpected string      `json:"amountToExpected" doc:"What the provider promised to pay: a decimal in whole coins of to, all fees taken off" example:"2.9391"`
	From             string      `json:"from" doc:"Coin that is sent: a ticker, with its network where the ticker has several" example:"xmr"`
	To               string      `json:"to" doc:"Coin that is paid out" example:"ltc"`
	Status           swap.Status `json:"status" enum:"waiting,confirming,exchanging,sending,finished,failed,refunded" doc:"Where the swap stands; waiting at creation"`
	ExpiresAt        wire.Time   `json:"expiresAt" doc:"End of the time to deposit: the provider's where that is between a minute and a week ahead, otherwise an hour after the creation"`
	Instructions     string      `json:"instructions" doc:"What to do now: funds are not sent automatically"`
}

// swapView is a swap with the provider's latest answer about it.
type swapView struct {
	SwapMade

	StatusDetail *string   `json:"statusDetail" doc:"Explains the status, such as why the swap failed; null when there is nothing to explain"`
	AmountTo     *string   `json:"amountTo" doc:"What the provider pays: a decimal in whole coins of to; null until it sends"`
	TxDeposit    *string   `json:"txDeposit" doc:"Transaction of the deposit; null until the provider names it"`
	TxPayout     *string   `json:"txPayout" doc:"Transaction that pays the destination; null until the provider names it"`
	TxRefund     *string   `json:"txRefund" doc:"Transaction that sends the deposit back; null when there is none"`
	UpdatedAt    wire.Time `json:"updatedAt" doc:"When any of this last changed"`
}

type swapInput struct {
	ID string `path:"id" doc:"Swap identifier, or the provider's (swapId)" example:"swp_0123456789abcdef01234567"`
}

type swapList struct {
	Swaps []swapView `json:"swaps" doc:"Newest first, at most 50"`
}

func (h *Swaps) getSwap(ctx context.Context, m db.Merchant, in *swapInput) (*httpapi.Out[swapView], error) {
	row, err := h.ownSwap(ctx, m, in.ID)
	if err != nil {
		return nil, err
	}
	if since := h.Clock().Sub(row.PolledAt); row.ClosedAt == nil && (since >= askedJustNow || since < 0) {
		if err := h.Start.PollSwap(ctx, workflows.SwapInput{SwapID: row.ID, MerchantID: m.MerchantID, Resume: true}); err != nil {
			h.Log.WarnContext(ctx, "a swap could not be polled", "swap", row.ID, "error", err)
		}
		if row, err = h.ownSwap(ctx, m, row.ID); err != nil {
			return nil, err
		}
	}
	return httpapi.With(swapOf(row), nil)
}

// ownSwap finds a swap of the merchant by either of its identifiers.
func (h *Swaps) ownSwap(ctx context.Context, m db.Merchant, id string) (db.Swap, error) {
	if !swapName.MatchString(id) {
		return db.Swap{}, httpapi.NotFound("swap")
	}
	row, err := h.Store.MerchantSwap(ctx, db.MerchantSwapParams{MerchantID: m.MerchantID, Name: id})
	return row, httpapi.Missing(err, httpapi.NotFound("swap"))
}

func (h *Swaps) listSwaps(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[swapList], error) {
	rows, err := h.Store.ListSwaps(ctx, db.ListSwapsParams{MerchantID: m.MerchantID, Limit: listedSwaps})
	list := swapList{make([]swapView, 0, len(rows))}
	for _, row := range rows {
		list.Swaps = append(list.Swaps, swapOf(row))
	}
	return httpapi.With(list, err)
}

// swapMadeOf returns the answer that the swap had at its creation.
func swapMadeOf(row db.Swap) SwapMade {
	from, to := symbol(row.TickerFrom, row.NetworkFrom), symbol(row.TickerTo, row.NetworkTo)
	return SwapMade{
		ID: row.ID, SwapID: row.IDProvider, Provider: row.Provider, DepositAddress: row.DepositAddress, DepositMemo: row.DepositMemo,
		AmountFrom: row.AmountFrom.String(), AmountToExpected: row.AmountExpected.String(), From: from, To: to,
		Status: swap.Waiting, ExpiresAt: wire.TimeOf(row.ExpiresAt), Instructions: instructions(row, from),
	}
}

func swapOf(row db.Swap) swapView {
	view := swapView{
		SwapMade: swapMadeOf(row), StatusDetail: unlessEmpty(row.StatusDetail), TxDeposit: unlessEmpty(row.DepositTx),
		TxPayout: unlessEmpty(row.PayoutTx), TxRefund: unlessEmpty(row.RefundTx), UpdatedAt: wire.TimeOf(row.UpdatedAt),
	}
	view.Status = swap.Status(row.Status)
	if row.AmountTo != nil {
		view.AmountTo = unlessEmpty(row.AmountTo.String())
	}
	return view
}

// symbol returns the name of a coin for clients, even of a coin that is no longer in the
// register.
func symbol(ticker, network string) string {
	if c, known := coin.Lookup(ticker, network); known {
		return c.Symbol()
	}
	return ticker + ":" + network
}

func unlessEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// instructions returns a text for people. It never changes, so that a repeated creation gets the
// same answer.
func instructions(row db.Swap, from string) string {
	if row.PayoutID != nil {
		return fmt.Sprintf("Payout %s pays the deposit: there is nothing to send.", *row.PayoutID)
	}
	memo := ""
	if row.DepositMemo != nil {
		memo = fmt.Sprintf(" with the memo %s", *row.DepositMemo)
	}
	return fmt.Sprintf("Funds are not sent automatically. Send exactly %s %s to %s%s before %s, from a wallet of your own. "+
		"The provider pays the destination address itself.",
		row.AmountFrom, strings.ToUpper(from), row.DepositAddress, memo, row.ExpiresAt.UTC().Format(time.RFC3339))
}
