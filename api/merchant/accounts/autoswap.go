package accounts

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/sanctions"
	"github.com/durapay/durapay/internal/secret"
)

// AutoSwap is exported because the documents leave out embedded types that are not.
type AutoSwap struct {
	Enabled  bool    `json:"enabled" doc:"Whether sweeps pay a swap instead of the payout address"`
	Currency *string `json:"currency" doc:"Swap ticker; null when it was never set" example:"ltc"`
	Address  *string `json:"address" doc:"First and last six characters of the address that the swap pays" example:"ltc1qw…gmn4n9"`
}

type newAutoSwap struct {
	Enabled  *bool   `json:"enabled" required:"true" doc:"Whether sweeps pay a swap instead of the payout address" example:"true"`
	Currency *string `json:"currency" required:"false" doc:"Swap ticker of the coin to be paid, in lower case; required to enable. Where a coin has several networks, the address tells which" example:"ltc"`
	Address  *string `json:"address" required:"false" doc:"Address of that coin; required to enable" example:"ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits; required when two-factor authentication is on" example:"123456"`
}

type autoSwapSet struct {
	OK bool `json:"ok" doc:"Always true"`
	AutoSwap
}

func (h *Settings) setAutoSwap(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newAutoSwap] }) (*httpapi.Out[autoSwapSet], error) {
	fields := in.Body.Value()
	row, err := h.autoSwapRow(ctx, m, fields)
	if err != nil {
		return nil, err
	}
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error {
		if row.Enabled && postgres.CustodyOf(held, h.Custody, h.Clock()) == config.CustodyOwn {
			return httpapi.BadRequest("automatic conversion pays out money that the service holds: customers pay your own wallet, so there is none to convert")
		}
		if _, err := q.SetAutoSwap(ctx, row); err != nil {
			return access.NoSession(err)
		}
		return h.redirected(ctx, q, held, notice.AutoSwap, func() (bool, error) { return h.swapDiffers(held, row) })
	})
	return httpapi.With(autoSwapSet{true, AutoSwap{row.Enabled, row.Ticker, row.AddressMasked}}, err)
}

func (h *Settings) autoSwapRow(ctx context.Context, m db.Merchant, fields newAutoSwap) (db.SetAutoSwapParams, error) {
	row := db.SetAutoSwapParams{
		MerchantID: m.MerchantID, Ticker: m.AutoSwapTicker, Network: m.AutoSwapNetwork,
		AddressSealed: m.AutoSwapAddressSealed, AddressMasked: m.AutoSwapAddressMasked,
	}
	if fields.Enabled == nil {
		return row, httpapi.BadRequest("enabled is required")
	}
	row.Enabled = *fields.Enabled
	if !row.Enabled && fields.Currency == nil && fields.Address == nil {
		return row, nil
	}
	to, address, err := h.swapTarget(ctx, fields)
	if err != nil {
		return row, err
	}
	if row.Enabled && m.PayoutAddressSealed == nil {
		return row, httpapi.BadRequest("set a payout address first: swaps that fail are refunded to it")
	}
	masked := payout.MaskAddress(address)
	row.Ticker, row.Network, row.AddressMasked = &to.Ticker, &to.Network, &masked
	row.AddressSealed, err = h.Box.Seal([]byte(address), secret.AutoSwapPlace.Of(m.MerchantID))
	return row, err
}

// swapDiffers reports whether the new settings pay another coin or address than the stored ones,
// whether or not those were enabled. Turning conversion on always counts as different: until
// then sweeps went to the payout address, and the swap's address may have been set at a time
// when no hold applied.
func (h *Settings) swapDiffers(held db.Merchant, row db.SetAutoSwapParams) (bool, error) {
	if row.Enabled && !held.AutoSwapEnabled {
		return true, nil
	}
	if row.AddressSealed == nil {
		return false, nil
	}
	if web.OrEmpty(row.Ticker) != web.OrEmpty(held.AutoSwapTicker) || web.OrEmpty(row.Network) != web.OrEmpty(held.AutoSwapNetwork) {
		return true, nil
	}
	address, err := h.Box.Unseal(row.AddressSealed, secret.AutoSwapPlace.Of(held.MerchantID))
	if err != nil {
		return false, err
	}
	return h.differs(held.AutoSwapAddressSealed, secret.AutoSwapPlace.Of(held.MerchantID), string(address))
}

// swapTarget returns the coin in which the merchant wants to be paid, and the address for it.
func (h *Settings) swapTarget(ctx context.Context, fields newAutoSwap) (coin.Coin, string, error) {
	if fields.Currency == nil || fields.Address == nil {
		return coin.Coin{}, "", httpapi.BadRequest("currency and address are required")
	}
	to, err := h.coinOf(*fields.Currency, *fields.Address)
	if err != nil {
		return coin.Coin{}, "", err
	}
	sanctioned, err := sanctions.Register{Store: h.Store}.Sanctioned(ctx, *fields.Address)
	switch {
	case errors.Is(err, sanctions.ErrNoList): // no money moves yet, and each sweep checks again
	case err != nil:
		return coin.Coin{}, "", err
	case sanctioned:
		return coin.Coin{}, "", httpapi.BadRequest("address cannot be used")
	}
	return to, *fields.Address, nil
}

// coinOf returns the coin with this ticker on the network that the address belongs to. It skips
// Monero, because Monero is the coin that is converted.
func (h *Settings) coinOf(ticker, address string) (coin.Coin, error) {
	var tickers []string
	known := false
	for _, c := range coin.All() {
		if c.Ticker == coin.Monero {
			continue
		}
		if c.Ticker == ticker && h.Quotes.CheckAddress(c, address) == nil {
			return c, nil
		}
		known = known || c.Ticker == ticker
		tickers = append(tickers, c.Ticker)
	}
	if known {
		return coin.Coin{}, httpapi.BadRequest("address is not an address of %s", ticker)
	}
	slices.Sort(tickers)
	return coin.Coin{}, httpapi.BadRequest("currency must be one of: %s", strings.Join(slices.Compact(tickers), ", "))
}

func autoSwapOf(m db.Merchant) AutoSwap {
	return AutoSwap{m.AutoSwapEnabled, m.AutoSwapTicker, m.AutoSwapAddressMasked}
}
