package trades

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
)

// TradePaymentTask names a payment of a trade.
type TradePaymentTask struct {
	TradePaymentID int64
}

// SendTradePayment makes one payment of a trade: it builds its transaction once, stores
// the bytes and hands them to the daemon. It runs on the queue of the wallet that pays,
// one at a time. The database allows no second transaction of the wallet while the first
// is not relayed. A second run, or a run after a crash on any line, continues from the
// state in the database. If the wallet was claimed and nothing was built, it begins
// again. If the bytes were stored, it relays them. If they were relayed, it only records
// that. Faults are errors, which Temporal retries. A payment that can never be sent is
// recorded as failed, which is no error.
func (a *Payments) SendTradePayment(ctx context.Context, in TradePaymentTask) error {
	for {
		p, err := a.Store.GetTradePayment(ctx, in.TradePaymentID)
		if postgres.IsNotFound(err) { // retention removes payments that were made long ago
			return nil
		}
		if err != nil {
			return err
		}
		switch trade.PaymentState(p.State) {
		case trade.Planned:
			err = a.makeTransaction(ctx, p)
		case trade.Building:
			err = a.takeOver(ctx, p)
		case trade.Built:
			err = a.relayStored(ctx, *p.TransactionID)
		default:
			return nil
		}
		if errors.Is(err, errNotNow) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// errNotNow means that a refund must wait: the trade tries it later.
var errNotNow = errors.New("not now")

// outgoing returns the life cycle of the exchange's transactions.
func (a *Payments) outgoing() *sending.Outgoing {
	return &sending.Outgoing{
		Store: a.Store, Secret: a.Secret, Clock: a.Clock, Witness: a.Witness,
		Network: func(id string) (sending.Network, error) {
			wallet, _, err := a.wallet(id)
			return wallet, err
		},
	}
}

// makeTransaction claims the wallet for a payment that may be made now, and for the
// payments that go with it. It builds their transaction and stores it. If another worker
// left a transaction that is built and not relayed, it relays that one first.
func (a *Payments) makeTransaction(ctx context.Context, p db.TradePaymentState) error {
	if err := a.freeWallet(ctx, p); err != nil {
		return err
	}
	if err := a.checkBacked(ctx, p); err != nil {
		return err
	}
	sanctioned, err := a.sanctioned(ctx, p)
	if err != nil {
		return err
	}
	if sanctioned != "" {
		return a.Store.Tx(ctx, func(q *db.Queries) error { return failPayment(ctx, q, p, sanctioned) })
	}
	b, ok, err := a.gather(ctx, p)
	if err != nil {
		return err
	}
	if !ok {
		return errNotNow
	}
	err = a.makeBatch(ctx, b)
	if !errors.Is(err, errApart) {
		return err
	}
	if b, err = a.single(ctx, p); err != nil { // another payment of the batch prevents it
		return err
	}
	return a.makeBatch(ctx, b)
}

func (a *Payments) makeBatch(ctx context.Context, b batch) error {
	if err := a.outgoing().MayBuild(ctx, b.lead().WalletID); err != nil {
		return err
	}
	id, err := a.claim(ctx, b)
	if err != nil {
		return err
	}
	return a.buildTransaction(ctx, b, id)
}

// takeOver gives back a claim that an earlier run of this trade made before it died. A
// claim of another trade is left alone, because its run may be at work.
func (a *Payments) takeOver(ctx context.Context, p db.TradePaymentState) error {
	tx, err := a.Store.GetOutgoing(ctx, *p.TransactionID)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(tx.TradeIds) > 0 && tx.TradeIds[0] != p.TradeID && a.Clock().Sub(tx.CreatedAt) <= staleClaim {
		return fmt.Errorf("payment %d: transaction %d is being built", p.ID, tx.ID)
	}
	return a.giveBack(ctx, tx.ID)
}

// staleClaim is the age from which no run can be building for a claim any more: Temporal
// gives up an activity before that.
const staleClaim = 10 * time.Minute

// giveBack undoes a claim for which nothing was stored. The run that made it died, or is
// presumed dead, and nothing that it builds is stored any more.
func (a *Payments) giveBack(ctx context.Context, id int64) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error { return witness.GiveBack(ctx, q, id) })
}

// freeWallet returns nil once no other transaction of the wallet waits to be relayed.
func (a *Payments) freeWallet(ctx context.Context, p db.TradePaymentState) error {
	other, err := a.Store.UnrelayedOutgoing(ctx, p.WalletID)
	switch {
	case postgres.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case witness.TxState(other.State) == witness.TxBuilt:
		return a.relayStored(ctx, other.ID)
	case a.Clock().Sub(other.CreatedAt) > staleClaim:
		return a.giveBack(ctx, other.ID)
	default:
		return fmt.Errorf("payment %d: transaction %d of the wallet is being built", p.ID, other.ID)
	}
}

// claim claims the wallet for a transaction of the batch.
func (a *Payments) claim(ctx context.Context, b batch) (id int64, err error) {
	why := sending.ForTradePayout
	if b.isRefund() {
		why = sending.ForRefund
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		id, err = q.ClaimWallet(ctx, db.ClaimWalletParams{
			WalletID: b.lead().WalletID, Purpose: why, TradeIds: b.trades(), CreatedAt: *a.outgoing().Now(),
		})
		if err != nil {
			return err
		}
		n, err := q.JoinTransaction(ctx, db.JoinTransactionParams{TransactionID: id, Ids: b.ids()})
		if err == nil && int(n) != len(b.payments) {
			err = fmt.Errorf("payment %d, or one that goes with it, was taken up by another run", b.lead().ID)
		}
		return err
	})
	if postgres.IsDuplicate(err) {
		err = fmt.Errorf("payment %d: the wallet is taken", b.lead().ID)
	}
	return id, err
}

// sanctioned returns why the sanctions list forbids a payment now; empty if it does not.
// It looks up the payee and the origins of the deposit, because either may have been
// listed after the deposit was settled. A deposit from a listed address is marked for
// good.
func (a *Payments) sanctioned(ctx context.Context, t db.TradePaymentState) (string, error) {
	if err := blockListed(ctx, a.Store, a.Secret, a.Sanctioned, t.TradeID); err != nil {
		return "", err
	}
	d, err := a.Store.PaidDeposit(ctx, t.ID)
	if err != nil {
		return "", err
	}
	if d.Blocked {
		return "the deposit cannot be processed", nil
	}
	if d.OriginsDueAt != nil {
		return "", fmt.Errorf("payment %d: nobody knows where its deposit comes from", t.ID)
	}
	payee, err := a.payee(ctx, t)
	if err != nil {
		return "", err
	}
	sanctioned, err := a.Sanctioned(ctx, payee)
	if err == nil && sanctioned {
		return "the address to pay cannot be used", nil
	}
	return "", err
}

// errUnbacked means that nothing may be sent for a deposit now.
var errUnbacked = errors.New("its deposit is not what it was")

// checkBacked asks the chain once more for the deposit of the payment.
func (a *Payments) checkBacked(ctx context.Context, t db.TradePaymentState) error {
	row, err := a.Store.GetTrade(ctx, t.TradeID)
	if err != nil {
		return err
	}
	stored, err := a.Store.PaidDeposit(ctx, t.ID)
	if err != nil {
		return err
	}
	wallet, c, err := a.wallet(value(row.WalletFrom))
	if err != nil {
		return err
	}
	d, err := wallet.Deposit(ctx, stored.TxHash, stored.Address)
	if err != nil {
		return err
	}
	amount := money.FromAtomic(d.Amount, c.Decimals)
	if d.Missing || d.Locked || d.Contested || d.Confirmations < uint64(row.Confirmations) || amount.Cmp(stored.Amount) != 0 {
		return fmt.Errorf("payment %d: %w", t.ID, errUnbacked)
	}
	return nil
}

// payee returns the address that a payment goes to: an address of its trade.
func (a *Payments) payee(ctx context.Context, p db.TradePaymentState) (string, error) {
	row, err := a.Store.GetTrade(ctx, p.TradeID)
	if err != nil {
		return "", err
	}
	details, err := exchange.DetailsOf(a.Secret, row)
	return details.PaidTo(trade.Kind(p.Kind)), err
}

// relayStored hands stored bytes to the daemon and records it. After a refusal the
// transaction is failed. Its coins stay reserved, because its bytes may be with other
// nodes, and an operator decides. So it is with old bytes, of which a payment may not be
// made now. Bytes are old if a claim of their age would be stale.
func (a *Payments) relayStored(ctx context.Context, id int64) error {
	tx, err := a.Store.GetOutgoing(ctx, id)
	if err != nil || witness.TxState(tx.State) != witness.TxBuilt {
		return err
	}
	_, err = a.outgoing().EnsureRelayed(ctx, tx, func(chain.Found) error {
		if a.Clock().Sub(*tx.BuiltAt) <= staleClaim {
			return nil
		}
		return a.checkAllDue(ctx, tx.ID)
	})
	switch {
	case errors.Is(err, chain.ErrRefused):
		return a.failRefused(ctx, tx, "the network refused the transaction")
	case refusals.Is(err, refusals.TradePayment):
		return a.failRefused(ctx, tx, "it could not be sent in time, and now: "+refusals.Text(err))
	}
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.MarkOutgoingSent(ctx, db.MarkOutgoingSentParams{ID: id, SentAt: a.outgoing().Now()}); err != nil {
			return err
		}
		if err := alertStuck(ctx, q, id, ""); err != nil {
			return err
		}
		return wakeOtherTrades(ctx, q, tx)
	})
}

// wakeOtherTrades wakes the trades that share a transaction, other than the trade that it
// was built for.
func wakeOtherTrades(ctx context.Context, q *db.Queries, tx db.OutgoingTransaction) error {
	if len(tx.TradeIds) < 2 {
		return nil
	}
	return q.WakeTrades(ctx, tx.TradeIds[1:])
}

// failRefused records that the network refuses a transaction, and alerts operators. A
// transaction that another run has advanced meanwhile is left alone.
func (a *Payments) failRefused(ctx context.Context, tx db.OutgoingTransaction, reason string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		failed, err := q.FailOutgoing(ctx, db.FailOutgoingParams{ID: tx.ID, Reason: &reason})
		if err != nil || failed == 0 {
			return err
		}
		payments, err := q.PaymentsOfTransaction(ctx, tx.ID)
		if err != nil {
			return err
		}
		for _, p := range payments {
			if err := openFailed(ctx, q, p.TradeID, p.ID, p.Kind, reason); err != nil {
				return err
			}
		}
		return wakeOtherTrades(ctx, q, tx)
	})
}

// wallet returns one of the exchange's wallets with the settings of its coin.
func (a *Payments) wallet(id string) (chain.Wallet, exchange.Coin, error) {
	for _, c := range a.Settings.Coins() {
		if w, ok := a.Wallets[id]; ok && c.WalletID == id {
			return w, c, nil
		}
	}
	return nil, exchange.Coin{}, fmt.Errorf("wallet %s: %w", id, errNoWallet)
}
