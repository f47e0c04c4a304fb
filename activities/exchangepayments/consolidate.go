package exchangepayments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/heartbeat"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/activities/tradefacts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outgoing"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// consolidateAbove is how many coins a wallet may hold before they are
	// joined: fewer hinder nobody.
	consolidateAbove = 100
	// longConsolidation is for how long one may wait for its block before
	// operators are told.
	longConsolidation = 2 * time.Hour
)

// Consolidate joins small coins of a wallet of the exchange into one, by a
// payment to itself. Many deposits leave many coins behind, and payments of
// many coins are large, dear and slow. It joins them when it is quiet: no
// payout waits, no other consolidation is under way, and what is reserved for
// trades stays spendable. It runs on the queue of the wallet's payments. Run
// twice, the second run finds the first one's transaction and follows it.
func (a *Handler) Consolidate(ctx context.Context, in tasks.Wallet) error {
	stop := heartbeat.Start(ctx)
	defer stop()
	open, err := a.Store.OpenConsolidation(ctx, in.WalletID)
	if err == nil {
		if err := a.followConsolidation(ctx, open); err != nil {
			return err
		}
		_, err = a.Store.OpenConsolidation(ctx, in.WalletID)
	}
	if err == nil {
		return nil // one at a time
	}
	if !postgres.IsNotFound(err) {
		return err
	}
	quiet, err := a.isQuiet(ctx, in.WalletID)
	if err != nil || !quiet {
		return err
	}
	if err := a.outgoing().MayBuild(ctx, in.WalletID); err != nil {
		return err
	}
	id, err := a.Store.ClaimWallet(ctx, db.ClaimWalletParams{
		WalletID: in.WalletID, Purpose: string(sending.ForConsolidation), TradeIds: []string{}, CreatedAt: *a.at(),
	})
	if postgres.IsDuplicate(err) {
		return nil // a payment was faster
	}
	if err != nil {
		return err
	}
	if err := a.buildConsolidation(ctx, in.WalletID, id); errors.Is(err, errNotNow) {
		return nil
	} else if err != nil {
		return err
	}
	return a.relayStored(ctx, id)
}

// isQuiet says that no payout of the wallet waits, and that nothing else is
// being made. A payout that has waited for long does not count: its coins may
// be too small and too many, until they are joined. A claim of a run that died
// is given back.
func (a *Handler) isQuiet(ctx context.Context, walletID string) (bool, error) {
	payouts, err := a.Store.PayoutsWait(ctx, db.PayoutsWaitParams{WalletID: walletID, Since: a.Clock().Add(-tradefacts.PayoutsFirst)})
	if err != nil || payouts {
		return false, err
	}
	other, err := a.Store.UnrelayedOutgoing(ctx, walletID)
	if postgres.IsNotFound(err) {
		return true, nil
	}
	if err == nil && outgoing.State(other.State) == outgoing.Building && a.Clock().Sub(other.CreatedAt) > staleClaim {
		err = a.giveBack(ctx, other.ID)
	}
	return false, err
}

// buildConsolidation builds and stores for a claim. Where there is nothing to
// do, or too little would stay spendable, the claim is given back.
func (a *Handler) buildConsolidation(ctx context.Context, walletID string, id int64) error {
	built, c, err := a.joinCoins(ctx, walletID)
	if err == nil {
		err = a.leavesReserved(ctx, walletID, money.FromAtomic(built.Amount+built.Fee, c))
	}
	if err != nil {
		err = errors.Join(err, a.giveBack(context.WithoutCancel(ctx), id))
	}
	switch {
	case errors.Is(err, chain.ErrNothing), errors.Is(err, chain.ErrTooSmall), errors.Is(err, errReserved):
		return errNotNow
	case err != nil:
		return err
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		return a.outgoing().StoreBytes(ctx, q, id, sending.Signed{
			Hash: built.TxHash, Raw: built.Raw, Inputs: built.Inputs, Paid: money.FromAtomic(built.Amount, c),
			Fee: money.FromAtomic(built.Fee, c), Proof: built.Proof,
		})
	})
	if postgres.IsNotFound(err) {
		return errNotNow // superseded
	}
	return err
}

// joinCoins lets the wallet build, and returns the decimals of its coin.
func (a *Handler) joinCoins(ctx context.Context, walletID string) (chain.Built, int32, error) {
	wallet, c, err := a.wallet(walletID)
	if err != nil {
		return chain.Built{}, 0, err
	}
	avoid, err := a.Store.ReservedInputs(ctx, walletID)
	if err != nil {
		return chain.Built{}, 0, err
	}
	built, err := wallet.Consolidate(ctx, avoid, consolidateAbove)
	return built, c.Decimals, err
}

// errReserved says that trades may need the coins before they can be spent
// again.
var errReserved = errors.New("the coins are reserved for trades")

// leavesReserved refuses to lock so much that what is reserved for trades could
// not be paid.
func (a *Handler) leavesReserved(ctx context.Context, walletID string, locked money.Decimal) error {
	row, err := a.Store.GetExchangeWallet(ctx, walletID)
	if err != nil {
		return err
	}
	reserved, err := a.Store.ReservedInventory(ctx, walletID)
	if err == nil && row.Unlocked.Sub(locked).Cmp(reserved.Reserved) < 0 {
		err = errReserved
	}
	return err
}

// followConsolidation looks where a consolidation is. It owes nobody anything,
// so one that the network never took, or whose coins others spent, is abandoned
// without a person.
func (a *Handler) followConsolidation(ctx context.Context, tx db.OutgoingTransaction) error {
	out := a.outgoing()
	if outgoing.State(tx.State) == outgoing.Built {
		return a.relayStored(ctx, tx.ID)
	}
	seen, err := out.Check(ctx, tx)
	if err != nil {
		return err
	}
	_, c, err := a.wallet(tx.WalletID)
	if err != nil {
		return err
	}
	subject := "consolidation/" + tx.WalletID
	switch {
	case seen.Stuck:
		return a.dropConsolidation(ctx, tx, seen, subject)
	case outgoing.State(tx.State) == outgoing.Failed: // the network has it after all
		if _, err := a.Store.RetryOutgoing(ctx, tx.ID); err != nil {
			return err
		}
		return a.relayStored(ctx, tx.ID) // it is recorded that others may have it
	case seen.State == chain.Mined && seen.Confirmations >= uint64(c.Confirmations):
		if err := a.Store.Tx(ctx, func(q *db.Queries) error { return out.Confirm(ctx, q, tx, seen.Height) }); err != nil {
			return err
		}
		return a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject})
	case tx.SentAt != nil && a.Clock().Sub(*tx.SentAt) > longConsolidation:
		return a.Store.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.TradePaymentStuck, Subject: subject, Detail: fmt.Sprintf("consolidation %s is not mined for long", *tx.TxHash),
		})
	default:
		return nil
	}
}

// dropConsolidation abandons what can never be mined: bytes that were never
// relayed and are refused, or whose coins another transaction has spent, deep
// in the chain. Bytes that were relayed may be with others, whatever our
// daemon says of them now. They stay and are relayed again, and operators are
// told.
func (a *Handler) dropConsolidation(ctx context.Context, tx db.OutgoingTransaction, seen sending.Checked, subject string) error {
	out := a.outgoing()
	why, err := out.StillSpendable(ctx, tx)
	neverRelayed := tx.SentAt == nil && seen.Inputs == chain.InputsFree
	switch {
	case err != nil:
		return err
	case why != "" && !neverRelayed:
		return a.Store.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.TradePaymentStuck, Subject: subject, Detail: fmt.Sprintf("the network does not take consolidation %s again: %s", *tx.TxHash, why),
		})
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := out.Abandon(ctx, q, tx, sending.Self); err != nil {
			return err
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject})
	})
}
