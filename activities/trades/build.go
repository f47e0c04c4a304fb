package trades

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
)

// errApart means that a batch cannot be built, and its lead alone may be.
var errApart = errors.New("the payments cannot go together")

// buildTransaction builds and stores the transaction of a batch. If the wallet cannot
// build now, it gives the claim back, so that another payment may be tried.
func (a *Payments) buildTransaction(ctx context.Context, b batch, id int64) error {
	wallet, c, err := a.wallet(b.lead().WalletID)
	if err != nil {
		return err
	}
	pay, err := b.payment(c)
	if err != nil {
		return err
	}
	if pay.Avoid, err = a.Store.ReservedInputs(ctx, b.lead().WalletID); err != nil {
		return err
	}
	built, err := wallet.Build(ctx, pay)
	switch {
	case len(b.payments) > 1 && err != nil && !passes(err):
		return errors.Join(errApart, a.giveBack(context.WithoutCancel(ctx), id))
	case errors.Is(err, chain.ErrTooSmall):
		return a.failClaim(ctx, b, id, "the amount is smaller than the chain fee of sending it")
	case errors.Is(err, chain.ErrAddress):
		return a.failClaim(ctx, b, id, "the transaction cannot be made")
	case errors.Is(err, chain.ErrNotEnough):
		err = errors.Join(err, a.Store.OpenAlert(ctx, unsentPayment(b.lead(), "its wallet holds too little")))
	case errors.Is(err, chain.ErrTooLarge):
		err = errors.Join(err, a.Store.OpenAlert(ctx, unsentPayment(b.lead(), "its wallet holds too many small coins")))
	}
	if err != nil {
		return errors.Join(err, a.giveBack(context.WithoutCancel(ctx), id))
	}
	return a.storeTransaction(ctx, b, id, c, built)
}

// passes reports whether a wallet cannot build now, no matter which payment it is for.
// Any other error of a batch may be caused by one payee, for example by an address in two
// spellings. That payee must not keep the other payees from their money.
func passes(err error) bool {
	for _, passing := range []error{
		chain.ErrUnavailable, chain.ErrLagging, chain.ErrLocked, chain.ErrNotEnough, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}

// storeTransaction stores the transaction that was built for a claim, if it pays the
// requested amounts. If the claim was given back meanwhile, it stores nothing.
func (a *Payments) storeTransaction(ctx context.Context, b batch, id int64, c exchange.Coin, built chain.Built) error {
	fees, ok, err := b.fees(c, built)
	if err != nil {
		return err
	}
	if !ok {
		return a.failClaim(ctx, b, id, "the wallet built another amount than it was asked for")
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		if err := a.outgoing().StoreBytes(ctx, q, id, builtRow(built, c.Decimals), built.Proof); err != nil {
			return err
		}
		for i, p := range b.payments {
			if err := settlePayment(ctx, q, p, id, money.FromAtomic(fees[i], c.Decimals)); err != nil {
				return err
			}
		}
		return nil
	})
	if postgres.IsNotFound(err) {
		return nil // superseded: the caller reads the payment again
	}
	return err
}

func builtRow(built chain.Built, decimals int32) db.StoreBuiltParams {
	return db.StoreBuiltParams{
		TxHash: built.TxHash, Raw: built.Raw, Inputs: built.Inputs, Paid: money.FromAtomic(built.Amount, decimals), Fee: money.FromAtomic(built.Fee, decimals),
	}
}

// settlePayment writes the amount that a payment pays, and its share of the fee.
func settlePayment(ctx context.Context, q *db.Queries, p db.TradePaymentState, id int64, fee money.Decimal) error {
	paid := p.Amount
	if trade.Kind(p.Kind) == trade.Refund {
		paid = p.Amount.Sub(fee)
	}
	n, err := q.SettleTradePayment(ctx, db.SettleTradePaymentParams{ID: p.ID, TransactionID: id, Paid: paid, Fee: fee})
	if err == nil && n != 1 {
		err = fmt.Errorf("payment %d left its transaction", p.ID)
	}
	if err == nil && p.Dust {
		err = resolveDust(ctx, q, p.TradeID)
	}
	return err
}

// failClaim gives a claim back and records that its payments will not be made.
func (a *Payments) failClaim(ctx context.Context, b batch, id int64, reason string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		err := witness.GiveBack(ctx, q, id)
		for _, p := range b.payments {
			err = errors.Join(err, failPayment(ctx, q, p, reason))
		}
		return err
	})
}

// failPayment records that a payment will not be made, and alerts operators. A payment
// that has got a transaction meanwhile is left alone.
func failPayment(ctx context.Context, q *db.Queries, p db.TradePaymentState, reason string) error {
	failed, err := q.FailTradePayment(ctx, db.FailTradePaymentParams{ID: p.ID, Reason: reason})
	if err != nil || failed == 0 {
		return err
	}
	return openFailed(ctx, q, p.TradeID, p.ID, p.Kind, reason)
}

func openFailed(ctx context.Context, q *db.Queries, tradeID string, id int64, kind, reason string) error {
	return sending.Alert(ctx, q, alert.TradePaymentFailed, paymentSubject(tradeID, id), kind+": "+reason)
}

// blockListed marks deposits of a trade that come from a listed address, and alerts
// operators. A mark is permanent.
func blockListed(ctx context.Context, store *postgres.Store, box *secret.Box, sanctioned sending.SanctionsLookup, tradeID string) error {
	deposits, err := store.TradeDeposits(ctx, tradeID)
	if err != nil {
		return err
	}
	for _, d := range deposits {
		if d.Blocked || d.OriginsSealed == nil {
			continue
		}
		origins, err := exchange.OriginsOf(box, d)
		if err != nil {
			return err
		}
		listed, err := sanctioned(ctx, origins...)
		if err != nil {
			return err
		}
		if !listed {
			continue
		}
		err = store.Tx(ctx, func(q *db.Queries) error {
			if err := q.BlockDeposit(ctx, d.ID); err != nil {
				return err
			}
			return sending.Alert(ctx, q, alert.DepositBlocked, tradeID, fmt.Sprintf("deposit %d comes from an address on the sanctions list", d.ID))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
