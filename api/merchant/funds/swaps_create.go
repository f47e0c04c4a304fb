package funds

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
	"github.com/durapay/durapay/workflows"
)

type newSwap struct {
	From    *string        `json:"from" required:"true" doc:"Coin that will be sent, as in the quote" example:"xmr"`
	To      *string        `json:"to" required:"true" doc:"Coin to be paid out, as in the quote" example:"ltc"`
	Amount  *money.Decimal `json:"amount" required:"true" doc:"What will be sent, as in the quote"`
	Address *string        `json:"address" required:"true" doc:"Destination: receives the coins"`
	QuoteID *string        `json:"quoteId" required:"true" doc:"quoteId of a quote that has not expired; it locks the rate"`
	// Provider is sent by older clients. The quote names the provider.
	Provider      *string `json:"provider,omitempty" doc:"Provider of the quote; only checked. Older clients send it"`
	RefundAddress *string `json:"refundAddress,omitempty" doc:"Gets the deposit back if the swap fails; the payout address where it is missing and from is xmr, required otherwise"`
}

// swapIDOf returns the identifier of the swap that a merchant makes from a quote. A repeated
// request therefore gets the same swap.
func swapIDOf(merchantID, quoteID string) string {
	sum := sha256.Sum256([]byte("swap:" + merchantID + ":" + quoteID))
	return "swp_" + hex.EncodeToString(sum[:])[:24]
}

func (h *Swaps) createSwap(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newSwap] }) (*httpapi.Out[SwapMade], error) {
	fields := in.Body.Value()
	if err := fields.complete(); err != nil {
		return nil, err
	}
	id := swapIDOf(m.MerchantID, *fields.QuoteID)
	row, err := h.Store.GetSwap(ctx, id)
	if postgres.IsNotFound(err) {
		row, err = h.orderSwap(ctx, m, id, fields)
	}
	if err != nil {
		return nil, err
	}
	// The first request with the quote has fixed what the quote is used for.
	if err := h.sameSwap(row, fields); err != nil {
		return nil, err
	}
	return httpapi.With(swapMadeOf(row), nil)
}

// complete returns an error that names the first missing field (400).
func (f newSwap) complete() error {
	for _, field := range []struct {
		name  string
		value *string
	}{{"from", f.From}, {"to", f.To}, {"address", f.Address}, {"quoteId", f.QuoteID}} {
		if field.value == nil || *field.value == "" {
			return httpapi.BadRequest("%s is required", field.name)
		}
	}
	if f.Amount == nil {
		return httpapi.BadRequest("amount is required")
	}
	return nil
}

// orderSwap orders a swap from a quote. When it returns, the swap is in the database.
func (h *Swaps) orderSwap(ctx context.Context, m db.Merchant, id string, f newSwap) (db.Swap, error) {
	offer, err := h.openQuote(f)
	if err != nil {
		return db.Swap{}, err
	}
	req, err := h.swapRequest(m, f, offer)
	if err != nil {
		return db.Swap{}, err
	}
	if err := access.StillOn(ctx, h.Store, m); err != nil {
		return db.Swap{}, err
	}
	if err := h.Start.CreateSwap(ctx, workflows.SwapInput{SwapID: id, MerchantID: m.MerchantID}, req); err != nil {
		return db.Swap{}, err
	}
	return h.Store.GetSwap(ctx, id)
}

// openQuote reads the quote that a body names. It refuses a quote whose values differ from those
// in the body (400).
func (h *Swaps) openQuote(f newSwap) (swapquote.Offer, error) {
	offer, err := swapquote.Open(h.Box, *f.QuoteID, h.Clock())
	switch {
	case errors.Is(err, swapquote.ErrExpired):
		return offer, httpapi.BadRequest("the quote has expired: ask for a new one")
	case err != nil:
		return offer, httpapi.BadRequest("quoteId is not a quote of this service")
	case !names(*f.From, offer.From):
		return offer, httpapi.BadRequest("from is not that of the quote")
	case !names(*f.To, offer.To):
		return offer, httpapi.BadRequest("to is not that of the quote")
	case f.Amount.Cmp(offer.Amount) != 0:
		return offer, httpapi.BadRequest("amount is not that of the quote")
	case f.Provider != nil && !strings.EqualFold(*f.Provider, offer.Provider):
		return offer, httpapi.BadRequest("provider is not that of the quote")
	}
	return offer, nil
}

// names reports whether a text names a coin. The ticker alone is enough, because the quote fixes
// the network.
func names(text string, c coin.Coin) bool {
	return strings.EqualFold(text, c.Ticker) || strings.EqualFold(text, c.Key())
}

// swapRequest combines an offer with the addresses of the body.
func (h *Swaps) swapRequest(m db.Merchant, f newSwap, o swapquote.Offer) (workflows.CreateSwap, error) {
	p, known := h.Quotes.Provider(o.Provider)
	if !known {
		return workflows.CreateSwap{}, httpapi.Unavailable("the provider of the quote is not available: ask for a new quote", httpapi.RetryQuote)
	}
	net := p.Profile().Net
	if o.To.CheckAddress(*f.Address, net) != nil {
		return workflows.CreateSwap{}, httpapi.BadRequest("address is not an address of %s", o.To.Name)
	}
	refund, err := h.refundAddress(m, f, o.From)
	if err != nil {
		return workflows.CreateSwap{}, err
	}
	if o.From.CheckAddress(refund, net) != nil {
		return workflows.CreateSwap{}, httpapi.BadRequest("refundAddress is not an address of %s", o.From.Name)
	}
	return workflows.CreateSwap{
		Provider: o.Provider, Route: o.Route, Reference: o.Reference, From: o.From, To: o.To, Amount: o.Amount,
		LeastAmountTo: o.AmountTo, Address: *f.Address, Refund: refund,
	}, nil
}

// refundAddress returns the body's refund address. For a swap from Monero without one, it
// returns the merchant's payout address.
func (h *Swaps) refundAddress(m db.Merchant, f newSwap, from coin.Coin) (string, error) {
	if f.RefundAddress != nil && *f.RefundAddress != "" {
		return *f.RefundAddress, nil
	}
	if from.Ticker != coin.Monero || m.PayoutAddressSealed == nil {
		return "", httpapi.BadRequest("refundAddress is required: it gets the deposit back if the swap fails")
	}
	plain, err := h.Box.Unseal(m.PayoutAddressSealed, secret.PayoutPlace.Of(m.MerchantID))
	return string(plain), err
}

// sameSwap refuses a body that asks for another swap than the one for which its quote was used
// (400).
func (h *Swaps) sameSwap(row db.Swap, f newSwap) error {
	address, err := h.Box.Unseal(row.AddressSealed, secret.SwapAddressPlace.Of(row.ID))
	if err != nil {
		return err
	}
	refund, err := h.Box.Unseal(row.RefundSealed, secret.SwapRefundPlace.Of(row.ID))
	if err != nil {
		return err
	}
	same := string(address) == *f.Address && f.Amount.Cmp(row.AmountFrom) == 0 &&
		names(*f.From, coin.Coin{Ticker: row.TickerFrom, Network: row.NetworkFrom}) &&
		names(*f.To, coin.Coin{Ticker: row.TickerTo, Network: row.NetworkTo}) &&
		(f.Provider == nil || strings.EqualFold(*f.Provider, row.Provider)) &&
		(f.RefundAddress == nil || *f.RefundAddress == "" || *f.RefundAddress == string(refund))
	if !same {
		return httpapi.BadRequest("the quote was used for another swap: ask for a new one")
	}
	return nil
}
