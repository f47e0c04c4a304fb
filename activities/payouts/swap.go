package payouts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/swapquote"
)

// Quotes returns offers for swaps.
type Quotes interface {
	Best(ctx context.Context, from, to coin.Coin, amount money.Decimal) (swapquote.Offer, error)
}

// Measured is the amount that a payout would pay.
type Measured struct {
	Net money.Piconero
}

// MeasurePayout builds the transaction of a payout to its payout address, to learn the
// amount after both fees, and drops it. It moves nothing, however often it runs.
func (a *Handler) MeasurePayout(ctx context.Context, in PayoutTask) (Measured, error) {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil {
		return Measured{}, err
	}
	from, whole, err := a.whatFits(ctx, p, source.whole)
	if err != nil {
		return Measured{}, buildError(err)
	}
	return Measured{Net: whole.amount}, from.check(whole)
}

// OrderPayoutSwap requests the swap that a payout pays.
type OrderPayoutSwap struct {
	PayoutID string
	// Net is the amount that the payout would pay.
	Net money.Piconero
	// Now is the workflow's clock.
	Now time.Time
}

// OrderPayoutSwap orders the swap of a payout and makes its deposit address the address
// that the payout pays. The order is recorded before it is sent, and sent once for a
// payout. A second run finds the swap, or finds the record without an answer and gives
// up. Every refusal is a refusals.Swap, and nothing has moved then.
func (a *Handler) OrderPayoutSwap(ctx context.Context, in OrderPayoutSwap) error {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil || p.SwapID != nil {
		return err
	}
	if p.SwapTicker == nil || payout.Status(p.Status) != payout.Building {
		return refusals.New(refusals.Swap, "the payout takes no swap")
	}
	if a.Swaps == nil || a.Quotes == nil {
		return refusals.New(refusals.Swap, "the payout cannot be swapped: no provider is configured")
	}
	id := swap.OfPayout(p.ID)
	if _, err := a.Store.GetSwap(ctx, id); postgres.IsNotFound(err) {
		if err := a.placeSwap(ctx, in, p); err != nil {
			return noSwap(err)
		}
	} else if err != nil {
		return err
	}
	return a.adopt(ctx, p, id)
}

// noSwap turns a refusal into the merchant's reason why there is no swap; faults stay
// faults.
func noSwap(err error) error {
	if _, refused := refusals.Of(err); !refused {
		return err
	}
	return refusals.New(refusals.Swap, "the payout cannot be swapped: "+refusals.Text(err))
}

// placeSwap orders the best offer for the amount that the payout would pay.
func (a *Handler) placeSwap(ctx context.Context, in OrderPayoutSwap, p db.Payout) error {
	from, known := coin.Lookup("xmr", "Mainnet")
	to, offered := coin.Lookup(*p.SwapTicker, *p.SwapNetwork)
	if !known || !offered {
		return refusals.New(refusals.Swap, "its coin is not offered any more")
	}
	refund, err := a.Secret.Unseal(p.AddressSealed, secret.SweepAddressPlace.Of(p.ID))
	if err != nil {
		return err
	}
	address, err := a.Secret.Unseal(p.SwapAddressSealed, secret.SweepSwapPlace.Of(p.ID))
	if err != nil {
		return err
	}
	ordered := payout.OrderAmount(in.Net)
	offer, err := a.Quotes.Best(ctx, from, to, ordered)
	if err == nil {
		least, most := payout.SwapBand(ordered)
		err = errors.Join(provider.CheckLimits(least, offer.Min, nil), provider.CheckLimits(most, nil, offer.Max))
	}
	if err != nil {
		return refuseSwapQuote(err)
	}
	upstream, known := a.Swaps.Provider(offer.Provider)
	if !known || to.CheckAddress(string(address), upstream.Profile().Net) != nil {
		return refusals.New(refusals.Swap, "the provider does not pay the address")
	}
	return a.Swaps.Place(ctx, sending.PlaceSwap{
		SwapID: swap.OfPayout(p.ID), MerchantID: p.MerchantID, PayoutID: p.ID, Now: in.Now, SwapRequest: sending.SwapRequest{
			Provider: offer.Provider, Route: offer.Route, Reference: offer.Reference, From: from, To: to, Amount: ordered,
			LeastAmountTo: provider.LeastAmountTo(offer.AmountTo), Address: string(address), Refund: string(refund),
		},
	})
}

// refuseSwapQuote returns why there is no offer. An unknown cause is a refusal too:
// nothing has moved, and a new try may help.
func refuseSwapQuote(err error) error {
	if limit, ok := errors.AsType[*provider.LimitError](err); ok {
		return refusals.New(refusals.Swap, limit.Error())
	}
	if errors.Is(err, provider.ErrPairUnsupported) || errors.Is(err, money.ErrRange) {
		return refusals.New(refusals.Swap, "no provider swaps this amount to the coin")
	}
	return refusals.New(refusals.Swap, "no provider has an offer now")
}

// adopt makes the deposit address of a swap the address that its payout pays, unless the
// payout was given up meanwhile.
func (a *Handler) adopt(ctx context.Context, p db.Payout, swapID string) error {
	row, err := a.Store.GetSwap(ctx, swapID)
	if err != nil {
		return err
	}
	if err := a.checkDeposit(ctx, p, row); err != nil {
		return noSwap(err)
	}
	sealed, err := a.Secret.Seal([]byte(row.DepositAddress), secret.SweepAddressPlace.Of(p.ID))
	if err != nil {
		return err
	}
	n, err := a.Store.AdoptSwap(ctx, db.AdoptSwapParams{
		ID: p.ID, SwapID: &swapID, AddressSealed: sealed, AddressMasked: payout.MaskAddress(row.DepositAddress),
	})
	if err != nil || n == 1 {
		return err
	}
	now, err := a.Store.GetPayout(ctx, p.ID)
	if err == nil && now.SwapID == nil {
		err = refusals.New(refusals.Swap, "the payout was given up meanwhile")
	}
	return err
}

// checkDeposit refuses a deposit address that a payout must not pay: an address of
// another network, an address that needs a memo, which a transaction cannot carry, and an
// address of this service or the merchant.
func (a *Handler) checkDeposit(ctx context.Context, p db.Payout, row db.Swap) error {
	unusable := refusals.New(refusals.Swap, "the provider's deposit address cannot be paid")
	deposit, err := monero.ParseAddress(row.DepositAddress)
	if err != nil || deposit.Network != monero.Mainnet || row.DepositMemo != nil {
		return unusable
	}
	refund, err := a.Secret.Unseal(p.AddressSealed, secret.SweepAddressPlace.Of(p.ID))
	if err != nil {
		return err
	}
	if row.DepositAddress == string(refund) {
		return unusable
	}
	if err := sending.RefuseListed(ctx, a.Swaps.Sanctioned, "an address cannot be used", row.DepositAddress); err != nil {
		return err
	}
	own, err := sending.IsOwnAddress(ctx, a.Store.Queries, deposit)
	if err == nil && own {
		err = unusable
	}
	return err
}

// checkSwap refuses a transaction that does not pay the amount of its swap's order, or
// that would come too late to be sure of the swap: half of the time to deposit must
// remain.
func (a *Handler) checkSwap(ctx context.Context, p db.Payout, b built) error {
	if p.SwapTicker == nil {
		return nil
	}
	if p.SwapID == nil {
		return fmt.Errorf("payout %s has no swap yet", p.ID)
	}
	row, err := a.Store.GetSwap(ctx, *p.SwapID)
	if err != nil {
		return err
	}
	half := row.ExpiresAt.Sub(row.CreatedAt) / 2
	switch {
	case payout.FitsSwap(row.AmountFrom, b.amount) != nil:
		return refusals.New(refusals.Swap, "the payout cannot be swapped: the chain's fee has changed meanwhile, try again")
	case a.Clock().After(row.ExpiresAt.Add(-half)):
		return refuseLate()
	default:
		return nil
	}
}

func refuseLate() error {
	return refusals.New(refusals.Swap, "the payout cannot be swapped: it took too long, try again")
}

const (
	// relayMargin is how much of the time to deposit must remain for a transaction that is
	// sent for the first time, or a quarter of that time if that is less.
	relayMargin = 15 * time.Minute
	// relayGrace is how long after that time a payout that was not sent in it is given up: a
	// run that began to send it earlier has ended by then.
	relayGrace = 2 * time.Minute
)

// checkInTime keeps a transaction that was built and never sent from paying its swap too
// late, for example after a night without power. Close to the end of the time to deposit,
// it returns an error, and nothing is sent. After that time it refuses, if the daemon,
// which knows the whole chain, found every input unspent.
func (a *Handler) checkInTime(ctx context.Context, p db.Payout, found chain.Found) error {
	if p.SwapID == nil || payout.Status(p.Status) != payout.Building {
		return nil
	}
	row, err := a.Store.GetSwap(ctx, *p.SwapID)
	if err != nil {
		return err
	}
	margin := min(relayMargin, row.ExpiresAt.Sub(row.CreatedAt)/4)
	switch now := a.Clock(); {
	case !now.After(row.ExpiresAt.Add(-margin)):
		return nil
	case now.Before(row.ExpiresAt.Add(relayGrace)):
		return fmt.Errorf("payout %s: too late for its swap, and too early to give it up", p.ID)
	}
	return unlessSpent(p, found, refuseLate())
}
