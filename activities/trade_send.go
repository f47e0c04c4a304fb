package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// TransferTask names a payment of a trade.
type TransferTask struct {
	TransferID int64
}

// SendTransfer makes one payment of a trade: builds its transaction once, stores
// the bytes and hands them to the daemon. It runs on the queue of the wallet that
// pays, one at a time, and the database lets no second transaction of the
// wallet be built while one is not relayed. Run twice, or after a death on
// any line, it goes on where the database says: what was claimed and not built
// is looked at anew from the beginning, what was built is relayed, what was
// relayed is only recorded. Faults are errors and are tried again; what can
// never be sent is recorded as failed, and is no error.
func (a *Trades) SendTransfer(ctx context.Context, in TransferTask) error {
	stop := beat(ctx)
	defer stop()
	for {
		p, err := a.Store.GetTradePayment(ctx, in.TransferID)
		if err != nil {
			return err
		}
		switch trade.TransferState(p.State) {
		case trade.Planned:
			err = a.makeTransaction(ctx, p)
		case trade.Building:
			err = a.giveBack(ctx, *p.TransactionID)
		case trade.Built:
			err = a.relayStored(ctx, *p.TransactionID)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// outgoing is the life of the exchange's transactions.
func (a *Trades) outgoing() *Outgoing {
	return &Outgoing{
		Store: a.Store, Secret: a.Secret, Clock: a.Clock, Witness: a.Witness,
		Network: func(id string) (Network, error) {
			wallet, _, err := a.wallet(id)
			return wallet, err
		},
	}
}

// makeTransaction claims the wallet for a payment that may be made now, builds
// its transaction and stores it. What another worker left behind built is
// relayed first.
func (a *Trades) makeTransaction(ctx context.Context, p db.TradePaymentState) error {
	if err := a.freeWallet(ctx, p); err != nil {
		return err
	}
	if err := a.checkBacked(ctx, p); err != nil {
		return err
	}
	barred, err := a.barred(ctx, p)
	if err != nil {
		return err
	}
	if barred != "" {
		return a.Store.Tx(ctx, func(q *db.Queries) error { return failPayment(ctx, q, p, barred) })
	}
	if err := a.outgoing().mayBuild(ctx, p.WalletID); err != nil {
		return err
	}
	id, err := a.claim(ctx, p)
	if err != nil {
		return err
	}
	return a.buildTransfer(ctx, p, id)
}

// staleClaim is how old a claim is that no run can be building for any more: an
// activity is given up before.
const staleClaim = 10 * time.Minute

// giveBack undoes a claim of which nothing was stored: whoever made it died, or
// is taken for dead, and what it builds is not stored any more.
func (a *Trades) giveBack(ctx context.Context, id int64) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error { return a.outgoing().giveBack(ctx, q, id) })
}

// freeWallet returns once no other transaction of the wallet waits to be
// relayed.
func (a *Trades) freeWallet(ctx context.Context, p db.TradePaymentState) error {
	other, err := a.Store.UnrelayedOutgoing(ctx, p.WalletID)
	switch {
	case postgres.IsNotFound(err):
		return nil
	case err != nil:
		return err
	case outgoingState(other.State) == outBuilt:
		return a.relayStored(ctx, other.ID)
	case a.Clock().Sub(other.CreatedAt) > staleClaim:
		return a.giveBack(ctx, other.ID)
	default:
		return fmt.Errorf("payment %d: transaction %d of the wallet is being built", p.ID, other.ID)
	}
}

// claim takes the wallet for a transaction of the payment.
func (a *Trades) claim(ctx context.Context, p db.TradePaymentState) (id int64, err error) {
	why := forTradePayout
	if trade.Kind(p.Kind) == trade.Refund {
		why = forRefund
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		id, err = q.ClaimWallet(ctx, db.ClaimWalletParams{
			WalletID: p.WalletID, Purpose: string(why), TradeIds: []string{p.TradeID}, CreatedAt: *a.at(),
		})
		if err != nil {
			return err
		}
		n, err := q.JoinTransaction(ctx, db.JoinTransactionParams{TransactionID: id, Ids: []int64{p.ID}})
		if err == nil && n != 1 {
			err = fmt.Errorf("payment %d was taken up by another run", p.ID)
		}
		return err
	})
	if postgres.IsDuplicate(err) {
		err = fmt.Errorf("payment %d: the wallet is taken", p.ID)
	}
	return id, err
}

// barred says why the sanctions list of now forbids a payment; empty when it
// does not. The payee is looked up and so is who the deposit came from: either
// may have been listed after the deposit was settled. A deposit from a listed
// address is marked for good.
func (a *Trades) barred(ctx context.Context, t db.TradePaymentState) (string, error) {
	if err := a.screenDeposits(ctx, t.TradeID); err != nil {
		return "", err
	}
	d, err := a.Store.PaidDeposit(ctx, t.ID)
	if err != nil {
		return "", err
	}
	if d.Blocked {
		return "the deposit cannot be processed", nil
	}
	payee, err := a.payee(ctx, t)
	if err != nil {
		return "", err
	}
	listed, err := a.Listed(ctx, payee)
	if err == nil && listed {
		return "the address to pay cannot be used", nil
	}
	return "", err
}

// errUnbacked says that nothing may be sent for a deposit now.
var errUnbacked = errors.New("its deposit is not what it was")

// checkBacked asks the chain once more for the deposit that is answered.
func (a *Trades) checkBacked(ctx context.Context, t db.TradePaymentState) error {
	row, err := a.Store.GetTrade(ctx, t.TradeID)
	if err != nil {
		return err
	}
	stored, err := a.Store.PaidDeposit(ctx, t.ID)
	if err != nil {
		return err
	}
	wallet, c, err := a.wallet(walletOf(row.WalletFrom))
	if err != nil {
		return err
	}
	d, err := wallet.Deposit(ctx, stored.TxHash, stored.Address)
	if err != nil {
		return err
	}
	amount := money.FromAtomic(d.Amount, c.Decimals)
	if d.Gone || d.Locked || d.Contested || d.Confirmations < uint64(row.Confirmations) || amount.Cmp(stored.Amount) != 0 {
		return fmt.Errorf("transfer %d: %w", t.ID, errUnbacked)
	}
	return nil
}

// payee is where a payment goes: an address of its trade.
func (a *Trades) payee(ctx context.Context, p db.TradePaymentState) (string, error) {
	row, err := a.Store.GetTrade(ctx, p.TradeID)
	if trade.Kind(p.Kind) == trade.Refund {
		return row.RefundAddress, err
	}
	return row.Address, err
}

// buildTransfer builds and stores. When the wallet cannot build now, the
// claim is given back, so that another payment may be tried.
func (a *Trades) buildTransfer(ctx context.Context, p db.TradePaymentState, id int64) error {
	wallet, c, err := a.wallet(p.WalletID)
	if err != nil {
		return err
	}
	pay, err := a.paymentOf(ctx, p, c)
	if err != nil {
		return err
	}
	built, err := wallet.Build(ctx, pay)
	switch {
	case errors.Is(err, chain.ErrTooSmall):
		return a.failClaim(ctx, p, id, "the amount is smaller than the chain fee of sending it")
	case errors.Is(err, chain.ErrAddress), errors.Is(err, chain.ErrTooLarge):
		return a.failClaim(ctx, p, id, "the transaction cannot be made")
	case errors.Is(err, chain.ErrNotEnough):
		err = errors.Join(err, a.Store.OpenAlert(ctx, unsent(p, "its wallet holds too little")))
		fallthrough
	case err != nil:
		return errors.Join(err, a.giveBack(context.WithoutCancel(ctx), id))
	}
	return a.storeTransfer(ctx, p, id, c, built)
}

func (a *Trades) paymentOf(ctx context.Context, p db.TradePaymentState, c exchange.Coin) (chain.Payment, error) {
	to, err := a.payee(ctx, p)
	if err != nil {
		return chain.Payment{}, err
	}
	amount, err := p.Amount.ToAtomic(c.Decimals)
	if err != nil {
		return chain.Payment{}, err
	}
	promised, err := a.Store.PromisedInputs(ctx, p.WalletID)
	pay := chain.Payment{To: to, Amount: amount, SubtractFee: trade.Kind(p.Kind) == trade.Refund}
	for _, inputs := range promised {
		pay.Avoid = append(pay.Avoid, inputs...)
	}
	return pay, err
}

// storeTransfer stores what was built for a claim, if it pays what it was asked
// for. A claim that was given back meanwhile takes nothing.
func (a *Trades) storeTransfer(ctx context.Context, p db.TradePaymentState, id int64, c exchange.Coin, built chain.Built) error {
	paid, fee := money.FromAtomic(built.Amount, c.Decimals), money.FromAtomic(built.Fee, c.Decimals)
	whole := paid
	if trade.Kind(p.Kind) == trade.Refund {
		whole = paid.Add(fee)
	}
	if whole.Cmp(p.Amount) != 0 {
		return a.failClaim(ctx, p, id, "the wallet built another amount than it was asked for")
	}
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		err := a.outgoing().store(ctx, q, id, signed{
			hash: built.TxHash, raw: built.Raw, inputs: built.Inputs, paid: paid, fee: fee, proof: built.Proof,
		})
		if err != nil {
			return err
		}
		n, err := q.SettleTradePayment(ctx, db.SettleTradePaymentParams{ID: p.ID, TransactionID: id, Paid: paid, Fee: fee})
		if err == nil && n != 1 {
			err = fmt.Errorf("payment %d left its transaction", p.ID)
		}
		return err
	})
	if postgres.IsNotFound(err) {
		return nil // superseded: what follows is read anew
	}
	return err
}

// relayStored hands stored bytes to the daemon and records it. A refusal ends
// the transaction: its coins stay promised, because its bytes may live on
// elsewhere, and a person decides.
func (a *Trades) relayStored(ctx context.Context, id int64) error {
	tx, err := a.Store.GetOutgoing(ctx, id)
	if err != nil || outgoingState(tx.State) != outBuilt {
		return err
	}
	_, err = a.outgoing().ensureRelayed(ctx, tx, nil)
	if errors.Is(err, chain.ErrRefused) {
		return a.failRefused(ctx, tx, "the network refused the transaction")
	}
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.MarkOutgoingSent(ctx, db.MarkOutgoingSentParams{ID: id, SentAt: a.at()}); err != nil {
			return err
		}
		payments, err := q.PaymentsOfTransaction(ctx, id)
		if err != nil {
			return err
		}
		for _, p := range payments {
			if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertTransferStuck, Subject: paymentSubject(p.TradeID, p.ID)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// failRefused records that the network will not have a transaction, and tells
// operators. One that another run has taken further meanwhile is left alone.
func (a *Trades) failRefused(ctx context.Context, tx db.OutgoingTransaction, reason string) error {
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
		return nil
	})
}

// failClaim gives a claim back and records that its payment will not be made.
func (a *Trades) failClaim(ctx context.Context, p db.TradePaymentState, id int64, reason string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if err := a.outgoing().giveBack(ctx, q, id); err != nil {
			return err
		}
		return failPayment(ctx, q, p, reason)
	})
}

// failPayment records that a payment will not be made, and tells operators. One
// that has a transaction meanwhile is left alone.
func failPayment(ctx context.Context, q *db.Queries, p db.TradePaymentState, reason string) error {
	failed, err := q.FailTradePayment(ctx, db.FailTradePaymentParams{ID: p.ID, Reason: reason})
	if err != nil || failed == 0 {
		return err
	}
	return openFailed(ctx, q, p.TradeID, p.ID, p.Kind, reason)
}

func openFailed(ctx context.Context, q *db.Queries, tradeID string, id int64, kind, reason string) error {
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertTransferFailed, Subject: paymentSubject(tradeID, id), Detail: kind + ": " + reason,
	})
}

// paymentSubject is what alerts about a payment name it by.
func paymentSubject(tradeID string, id int64) string { return fmt.Sprintf("%s/%d", tradeID, id) }

// TradeTask names a trade.
type TradeTask struct {
	TradeID string
}

// CheckTransfers looks where the sent transactions of a trade are, relays one
// again that a reorg dropped, and records those that are deep enough. Run
// twice, it looks twice.
func (a *Trades) CheckTransfers(ctx context.Context, in TradeTask) error {
	stop := beat(ctx)
	defer stop()
	payments, err := a.Store.TradePayments(ctx, in.TradeID)
	if err != nil {
		return err
	}
	looked := map[int64]bool{}
	for _, p := range payments {
		if trade.TransferState(p.State) != trade.Sent || looked[*p.TransactionID] {
			continue
		}
		looked[*p.TransactionID] = true
		if err := a.checkTransfer(ctx, *p.TransactionID); err != nil {
			return a.noteNoWallet(ctx, in.TradeID, err)
		}
	}
	return nil
}

func (a *Trades) checkTransfer(ctx context.Context, id int64) error {
	tx, err := a.Store.GetOutgoing(ctx, id)
	if err != nil || outgoingState(tx.State) != outSent {
		return err
	}
	_, c, err := a.wallet(tx.WalletID)
	if err != nil {
		return err
	}
	seen, err := a.outgoing().check(ctx, tx)
	if err != nil {
		return err
	}
	why := ""
	switch {
	case seen.Stuck && seen.Lost:
		why = "another transaction has spent its coins: it can be released once that one is deep"
	case seen.Stuck:
		why = "the chain lost the transaction and the daemon refuses it now"
	case seen.State == chain.Mined && seen.Confirmations >= uint64(c.Confirmations):
		height := int64(seen.Height)
		if _, err := a.Store.MarkOutgoingConfirmed(ctx, db.MarkOutgoingConfirmedParams{ID: id, Height: &height, ConfirmedAt: a.at()}); err != nil {
			return err
		}
	}
	return a.tellStuck(ctx, id, why)
}

// tellStuck tells operators of the payments of a transaction, or, with nothing
// to tell, that all is well.
func (a *Trades) tellStuck(ctx context.Context, id int64, why string) error {
	payments, err := a.Store.PaymentsOfTransaction(ctx, id)
	for _, p := range payments {
		subject := paymentSubject(p.TradeID, p.ID)
		if why == "" {
			err = errors.Join(err, a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertTransferStuck, Subject: subject}))
		} else {
			err = errors.Join(err, a.Store.OpenAlert(ctx, db.OpenAlertParams{Kind: AlertTransferStuck, Subject: subject, Detail: why}))
		}
	}
	return err
}

// wallet is one of the exchange's wallets with the settings of its coin.
func (a *Trades) wallet(id string) (chain.Wallet, exchange.Coin, error) {
	for _, c := range a.Desk.Coins() {
		if w, ok := a.Wallets[id]; ok && c.WalletID == id {
			return w, c, nil
		}
	}
	return nil, exchange.Coin{}, fmt.Errorf("wallet %s: %w", id, errNoWallet)
}

func (a *Trades) at() *time.Time {
	now := a.Clock().UTC().Truncate(time.Millisecond)
	return &now
}
