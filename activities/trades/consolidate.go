package trades

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

const (
	// consolidateAbove is how many coins a wallet may hold before they are joined: fewer
	// cause no trouble.
	consolidateAbove = 100
	// longConsolidation is how long a consolidation may wait for its block before operators
	// get an alert.
	longConsolidation = 2 * time.Hour
)

// WalletTask names a wallet of the exchange.
type WalletTask struct {
	WalletID string
}

// Consolidate joins small coins of a wallet of the exchange into one, by a payment to
// itself. Many deposits leave many coins behind, and a payment from many coins is large,
// expensive and slow. It joins them at quiet times: no payout waits, no other
// consolidation is running, and the amount that is reserved for trades stays spendable.
// It runs on the queue of the wallet's payments. A second run finds the transaction of
// the first run and follows it.
func (a *Payments) Consolidate(ctx context.Context, in WalletTask) error {
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
		WalletID: in.WalletID, Purpose: sending.ForConsolidation, TradeIds: []string{}, CreatedAt: *a.outgoing().Now(),
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

// isQuiet reports whether no payout of the wallet waits, and no other transaction is
// being made. A payout that has waited for long does not count: its coins may be too
// small and too many until they are joined. isQuiet gives back the claim of a run that
// died.
func (a *Payments) isQuiet(ctx context.Context, walletID string) (bool, error) {
	payouts, err := a.Store.PayoutsWait(ctx, db.PayoutsWaitParams{WalletID: walletID, Since: a.Clock().Add(-payoutsFirst)})
	if err != nil || payouts {
		return false, err
	}
	other, err := a.Store.UnrelayedOutgoing(ctx, walletID)
	if postgres.IsNotFound(err) {
		return true, nil
	}
	if err == nil && witness.TxState(other.State) == witness.TxBuilding && a.Clock().Sub(other.CreatedAt) > staleClaim {
		err = a.giveBack(ctx, other.ID)
	}
	return false, err
}

// buildConsolidation builds and stores the transaction of a claim. If there is nothing to
// join, or too little would stay spendable, it gives the claim back and returns
// errNotNow.
func (a *Payments) buildConsolidation(ctx context.Context, walletID string, id int64) error {
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
	err = a.Store.Tx(ctx, func(q *db.Queries) error { return a.outgoing().StoreBytes(ctx, q, id, builtRow(built, c), built.Proof) })
	if postgres.IsNotFound(err) {
		return errNotNow // superseded
	}
	return err
}

// joinCoins has the wallet build the consolidation, and returns the decimals of its coin.
func (a *Payments) joinCoins(ctx context.Context, walletID string) (chain.Built, int32, error) {
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

// errReserved means that trades may need the coins before these can be spent again.
var errReserved = errors.New("the coins are reserved for trades")

// leavesReserved returns errReserved if the locked amount would leave too little for the
// reserved inventory of trades.
func (a *Payments) leavesReserved(ctx context.Context, walletID string, locked money.Decimal) error {
	row, err := a.Store.GetWallet(ctx, walletID)
	if err != nil {
		return err
	}
	reserved, err := a.Store.ReservedInventory(ctx, walletID)
	if err == nil && row.Unlocked.Sub(locked).Cmp(reserved.Reserved) < 0 {
		err = errReserved
	}
	return err
}

// followConsolidation checks a consolidation on its chain. No customer waits for it, so
// it is abandoned without an operator if the network never took it, or if another
// transaction spent its coins.
func (a *Payments) followConsolidation(ctx context.Context, tx db.OutgoingTransaction) error {
	out := a.outgoing()
	if witness.TxState(tx.State) == witness.TxBuilt {
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
	case witness.TxState(tx.State) == witness.TxFailed: // the network has it after all
		if _, err := a.Store.RetryOutgoing(ctx, tx.ID); err != nil {
			return err
		}
		return a.relayStored(ctx, tx.ID) // relayStored records that the network may have it
	case seen.State == chain.Mined && seen.Confirmations >= uint64(c.Confirmations):
		if err := a.Store.Tx(ctx, func(q *db.Queries) error { return out.Confirm(ctx, q, tx, seen.Height) }); err != nil {
			return err
		}
		return a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject})
	case tx.SentAt != nil && a.Clock().Sub(*tx.SentAt) > longConsolidation:
		return sending.Alert(ctx, a.Store.Queries, alert.TradePaymentStuck, subject, fmt.Sprintf("consolidation %s is not mined for long", *tx.TxHash))
	default:
		return nil
	}
}

// dropConsolidation abandons a transaction that can never be mined: its bytes were never
// relayed and are refused, or another transaction has spent its coins, deep in the chain.
// Bytes that were relayed may be with other nodes, whatever our daemon answers now. They
// stay and are relayed again, and operators get an alert.
func (a *Payments) dropConsolidation(ctx context.Context, tx db.OutgoingTransaction, seen sending.Checked, subject string) error {
	out := a.outgoing()
	why, err := out.StillSpendable(ctx, tx)
	neverRelayed := tx.SentAt == nil && seen.Inputs == chain.InputsFree
	switch {
	case err != nil:
		return err
	case why != "" && !neverRelayed:
		return sending.Alert(ctx, a.Store.Queries, alert.TradePaymentStuck, subject,
			fmt.Sprintf("the network does not take consolidation %s again: %s", *tx.TxHash, why))
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := out.Abandon(ctx, q, tx, sending.Self); err != nil {
			return err
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.TradePaymentStuck, Subject: subject})
	})
}
