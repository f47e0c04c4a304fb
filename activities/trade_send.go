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
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
)

// TransferTask names a transaction of the exchange.
type TransferTask struct {
	TransferID int64
}

// SendTransfer makes one transaction of a trade: builds it once, stores its
// bytes and hands them to the daemon. It runs on the queue of the wallet that
// pays, one at a time, and the database lets no second transaction of the
// wallet be built while one is not relayed. Run twice, or after a death on
// any line, it goes on where the database says: what was built is relayed,
// what was relayed is only recorded. Faults are errors and are tried again;
// what can never be sent is recorded as failed, and is no error.
func (a *Trades) SendTransfer(ctx context.Context, in TransferTask) error {
	stop := beat(ctx)
	defer stop()
	for {
		t, err := a.Store.GetTransfer(ctx, in.TransferID)
		if err != nil {
			return err
		}
		switch trade.TransferState(t.State) {
		case trade.Planned:
			err = a.claim(ctx, t)
		case trade.Building:
			err = a.buildTransfer(ctx, t)
		case trade.Built:
			err = a.relayTransfer(ctx, t)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// claim takes the wallet for this transaction, once it may be made. One that
// another worker left behind built is relayed first.
func (a *Trades) claim(ctx context.Context, t db.TradeTransfer) error {
	other, err := a.Store.UnrelayedTransfer(ctx, t.WalletID)
	switch {
	case postgres.IsNotFound(err):
	case err != nil:
		return err
	case trade.TransferState(other.State) == trade.Built:
		if err := a.relayTransfer(ctx, other); err != nil {
			return err
		}
	default:
		return fmt.Errorf("transfer %d: transfer %d of the wallet is being built", t.ID, other.ID)
	}
	if err := a.checkBacked(ctx, t); err != nil {
		return err
	}
	barred, err := a.barred(ctx, t)
	if err != nil {
		return err
	}
	if barred != "" {
		return a.failTransfer(ctx, t, barred)
	}
	_, err = a.Store.ClaimTransfer(ctx, t.ID)
	if postgres.IsDuplicate(err) {
		return fmt.Errorf("transfer %d: the wallet is taken", t.ID)
	}
	return err
}

// barred says why the sanctions list of now forbids a payment; empty when it
// does not. The payee is looked up and so is who the deposit came from: either
// may have been listed after the deposit was settled. A deposit from a listed
// address is marked for good.
func (a *Trades) barred(ctx context.Context, t db.TradeTransfer) (string, error) {
	if err := a.screenDeposits(ctx, t.TradeID); err != nil {
		return "", err
	}
	d, err := a.Store.TransferDeposit(ctx, t.ID)
	if err != nil {
		return "", err
	}
	if d.Blocked {
		return "the deposit cannot be processed", nil
	}
	listed, err := a.Listed(ctx, t.Address)
	if err == nil && listed {
		return "the address to pay cannot be used", nil
	}
	return "", err
}

// errUnbacked says that nothing may be sent for a deposit now.
var errUnbacked = errors.New("its deposit is not what it was")

// checkBacked asks the chain once more for the deposit that is answered.
func (a *Trades) checkBacked(ctx context.Context, t db.TradeTransfer) error {
	row, err := a.Store.GetTrade(ctx, t.TradeID)
	if err != nil {
		return err
	}
	stored, err := a.Store.TransferDeposit(ctx, t.ID)
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

// buildTransfer builds and stores. When the wallet cannot build now, the
// claim is given back, so that another transaction may be tried.
func (a *Trades) buildTransfer(ctx context.Context, t db.TradeTransfer) error {
	wallet, c, err := a.wallet(t.WalletID)
	if err != nil {
		return err
	}
	amount, err := t.Amount.ToAtomic(c.Decimals)
	if err != nil {
		return err
	}
	promised, err := a.Store.PromisedInputs(ctx, t.WalletID)
	if err != nil {
		return err
	}
	pay := chain.Payment{To: t.Address, Amount: amount, SubtractFee: trade.Kind(t.Kind) == trade.Refund}
	for _, inputs := range promised {
		pay.Avoid = append(pay.Avoid, inputs...)
	}
	built, err := wallet.Build(ctx, pay)
	switch {
	case errors.Is(err, chain.ErrTooSmall):
		return a.failTransfer(ctx, t, "the amount is smaller than the chain fee of sending it")
	case errors.Is(err, chain.ErrAddress), errors.Is(err, chain.ErrTooLarge):
		return a.failTransfer(ctx, t, "the transaction cannot be made")
	case errors.Is(err, chain.ErrNotEnough):
		err = errors.Join(err, a.Store.OpenAlert(ctx, unsent(t, "its wallet holds too little")))
		fallthrough
	case err != nil:
		return errors.Join(err, a.Store.UnclaimTransfer(context.WithoutCancel(ctx), t.ID))
	}
	return a.storeTransfer(ctx, t, c, built)
}

func (a *Trades) storeTransfer(ctx context.Context, t db.TradeTransfer, c exchange.Coin, built chain.Built) error {
	paid, fee := money.FromAtomic(built.Amount, c.Decimals), money.FromAtomic(built.Fee, c.Decimals)
	whole := paid
	if trade.Kind(t.Kind) == trade.Refund {
		whole = paid.Add(fee)
	}
	if whole.Cmp(t.Amount) != 0 {
		return a.failTransfer(ctx, t, "the wallet built another amount than it was asked for")
	}
	row := db.StoreTransferParams{
		ID: t.ID, TxHash: &built.TxHash, Raw: built.Raw, Paid: &paid, Fee: &fee, Inputs: built.Inputs, BuiltAt: a.at(),
	}
	if built.Proof != "" {
		sealed, err := a.Secret.Seal([]byte(built.Proof), secret.AD{Table: "trade_transfers", Column: "proof", ID: fmt.Sprint(t.ID)})
		if err != nil {
			return err
		}
		row.ProofSealed = sealed
	}
	_, err := a.Store.StoreTransfer(ctx, row)
	return err
}

// relayTransfer hands the stored bytes to the daemon and records it. A
// refusal ends the transaction: its coins stay promised, because its bytes
// may live on elsewhere, and a person decides.
func (a *Trades) relayTransfer(ctx context.Context, t db.TradeTransfer) error {
	wallet, _, err := a.wallet(t.WalletID)
	if err != nil {
		return err
	}
	err = wallet.Relay(ctx, builtOf(t))
	if errors.Is(err, chain.ErrRefused) {
		found, findErr := wallet.Find(ctx, builtOf(t))
		if findErr != nil {
			return findErr
		}
		if found.State == chain.Unknown {
			return a.failTransfer(ctx, t, "the network refused the transaction")
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.MarkTransferSent(ctx, db.MarkTransferSentParams{ID: t.ID, SentAt: a.at()}); err != nil {
			return err
		}
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertTransferStuck, Subject: unsent(t, "").Subject})
	})
}

// failTransfer records that a transaction will not be made, and tells
// operators. One that another run has taken further meanwhile is left alone.
func (a *Trades) failTransfer(ctx context.Context, t db.TradeTransfer, reason string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		failed, err := q.FailTransfer(ctx, db.FailTransferParams{ID: t.ID, State: t.State, Reason: &reason})
		if err != nil || failed == 0 {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{
			Kind: AlertTransferFailed, Subject: fmt.Sprintf("%s/%d", t.TradeID, t.ID), Detail: t.Kind + ": " + reason,
		})
	})
}

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
	transfers, err := a.Store.TradeTransfers(ctx, in.TradeID)
	if err != nil {
		return err
	}
	for _, t := range transfers {
		if trade.TransferState(t.State) != trade.Sent {
			continue
		}
		if err := a.checkTransfer(ctx, t); err != nil {
			return a.noteNoWallet(ctx, in.TradeID, err)
		}
	}
	return nil
}

func (a *Trades) checkTransfer(ctx context.Context, t db.TradeTransfer) error {
	wallet, c, err := a.wallet(t.WalletID)
	if err != nil {
		return err
	}
	found, err := wallet.Find(ctx, builtOf(t))
	if err != nil {
		return err
	}
	stuck, why := false, "the chain lost the transaction and the daemon refuses it now"
	if isLost(found) != (t.LostHeight != nil) {
		if _, err := a.noteLost(ctx, wallet, t, found); err != nil {
			return err
		}
	}
	switch {
	case found.State == chain.Unknown:
		err := wallet.Relay(ctx, builtOf(t))
		if stuck = errors.Is(err, chain.ErrRefused); err != nil && !stuck {
			return err
		}
		if isLost(found) {
			why = "another transaction has spent its coins: it can be released once that one is deep"
		}
	case found.State == chain.Mined && found.Confirmations >= uint64(c.Confirmations):
		if _, err := a.Store.MarkTransferConfirmed(ctx, db.MarkTransferConfirmedParams{ID: t.ID, ConfirmedAt: a.at()}); err != nil {
			return err
		}
	}
	subject := fmt.Sprintf("%s/%d", t.TradeID, t.ID)
	if !stuck {
		return a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertTransferStuck, Subject: subject})
	}
	return a.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertTransferStuck, Subject: subject, Detail: why,
	})
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

func builtOf(t db.TradeTransfer) chain.Built {
	return chain.Built{TxHash: *t.TxHash, Raw: t.Raw, Inputs: t.Inputs}
}
