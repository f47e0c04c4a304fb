package payouts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// PayoutTask names a payout.
type PayoutTask struct {
	PayoutID string
}

// outgoing returns the life cycle of the payouts' transactions: all go to one daemon.
func (a *Handler) outgoing() *sending.Outgoing {
	return &sending.Outgoing{
		Store: a.Store, Secret: a.Secret, Clock: a.Clock, Witness: a.Witness,
		Network: func(string) (sending.Network, error) { return xmrwallet.NewNetwork(a.Daemon), nil },
	}
}

// find returns the payout of a run. It refuses a payout whose row is gone, for example in
// a restored database, so that the run ends.
func (a *Handler) find(ctx context.Context, payoutID string) (db.Payout, error) {
	p, err := a.Store.GetPayout(ctx, payoutID)
	if postgres.IsNotFound(err) {
		err = refusals.New(refusals.Broadcast, "there is no such payout")
	}
	return p, err
}

// RelayPayout hands the stored transaction to the daemon and records that it was sent. It
// asks the daemon first: if an earlier run relayed the transaction and did not record it,
// it is only recorded. It returns refusals.Broadcast if the daemon refuses the
// transaction and shows its inputs unspent, or if the payout was given up. It returns
// refusals.Swap if the transaction would pay its swap too late.
func (a *Handler) RelayPayout(ctx context.Context, in PayoutTask) error {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil {
		return err
	}
	switch payout.Status(p.Status) {
	case payout.Failed:
		return refusals.New(refusals.Broadcast, "the payout was given up")
	case payout.Building:
		if p.BuiltAt == nil {
			return errors.New("the payout is not built")
		}
		if err := a.relay(ctx, p); errors.Is(err, errSpent) { // it may have been sent before
			return cmp.Or(a.openStuck(ctx, p, errSpent.Error()), err)
		} else if err != nil {
			return err
		}
	case payout.Broadcast, payout.Confirmed:
	}
	return a.recordSent(ctx, p)
}

// errSpent means that the daemon does not know a transaction, and that another
// transaction has spent its inputs.
var errSpent = errors.New("its inputs are spent by another transaction")

// relay returns nil once the daemon knows the transaction.
func (a *Handler) relay(ctx context.Context, p db.Payout) error {
	tx, err := a.Store.OutgoingOfPayout(ctx, p.ID)
	if err != nil {
		return err
	}
	out := a.outgoing()
	found, err := out.EnsureRelayed(ctx, tx, func(found chain.Found) error {
		if err := a.checkInTime(ctx, p, found); err != nil {
			return err
		}
		err := stillBacked(ctx, a.Store.Queries, p)
		if _, refused := refusals.Of(err); refused {
			err = unlessSpent(p, found, err)
		}
		return err
	})
	if found.State != chain.Unknown || !errors.Is(err, chain.ErrRefused) {
		return err
	}
	if sending.SpentElsewhere(found) != (tx.SpentElsewhereHeight != nil) {
		if _, err := out.RecordSpentElsewhere(ctx, tx, found); err != nil {
			return err
		}
	}
	return unlessSpent(p, found, refusals.New(refusals.Broadcast, "the network refused the transaction"))
}

// unlessSpent returns the refusal if the inputs of the transaction are all unspent, and
// errSpent otherwise.
func unlessSpent(p db.Payout, found chain.Found, refusal error) error {
	if found.Inputs != chain.InputsFree {
		return fmt.Errorf("payout %s: %w", p.ID, errSpent)
	}
	return refusal
}

// openStuck alerts operators to a payout, unless it has ended meanwhile: then nothing
// would close the alert.
func (a *Handler) openStuck(ctx context.Context, p db.Payout, detail string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockPayout(ctx, p.ID)
		if status := payout.Status(locked.Status); err != nil || status == payout.Confirmed || status == payout.Failed {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: alert.PayoutStuck, Subject: p.ID, Detail: detail})
	})
}

// Depth is the depth of a payout in the chain.
type Depth struct {
	Confirmations int64
	Confirmed     bool
	// Stuck is set when a reorg made the transaction impossible to send again.
	Stuck bool
	// Gone is set if the payout has failed: an operator released it, and its workflow ends.
	Gone bool
}

// CheckPayout checks a sent transaction on the chain. It relays the transaction again if
// a reorganization dropped it, and records the confirmation once it is deep enough. A
// second run checks a second time.
func (a *Handler) CheckPayout(ctx context.Context, in PayoutTask) (Depth, error) {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil {
		return Depth{}, err
	}
	tx, err := a.Store.OutgoingOfPayout(ctx, p.ID)
	if postgres.IsNotFound(err) && payout.Status(p.Status) == payout.Failed {
		return Depth{Gone: true}, nil
	}
	if err != nil {
		return Depth{}, err
	}
	seen, err := a.outgoing().Check(ctx, tx)
	switch {
	case err != nil:
		return Depth{}, err
	case seen.Stuck && seen.Inputs != chain.InputsFree:
		return Depth{Stuck: true}, a.openStuck(ctx, p, errSpent.Error())
	case seen.Stuck:
		return Depth{Stuck: true}, a.openStuck(ctx, p, "a reorg dropped the transaction and the daemon refuses it now")
	case seen.State == chain.Mined:
		return a.recordDepth(ctx, p, tx, seen.Found)
	default:
		return Depth{}, resolveStuck(ctx, a.Store.Queries, p.ID)
	}
}

// recordDepth confirms a payout that is deep enough.
func (a *Handler) recordDepth(ctx context.Context, p db.Payout, tx db.OutgoingTransaction, found chain.Found) (Depth, error) {
	depth := Depth{Confirmations: int64(found.Confirmations)}
	if depth.Confirmations < payout.Confirmations {
		return depth, resolveStuck(ctx, a.Store.Queries, p.ID)
	}
	depth.Confirmed = true
	height, at := int64(found.Height), a.outgoing().Now()
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.MarkPayoutConfirmed(ctx, db.MarkPayoutConfirmedParams{ID: p.ID, Height: &height, ConfirmedAt: at}); err != nil {
			return err
		}
		if err := a.outgoing().Confirm(ctx, q, tx, found.Height); err != nil {
			return err
		}
		if err := chargestore.RefundPayoutConfirmed(ctx, q, p, *at); err != nil {
			return err
		}
		return resolveStuck(ctx, q, p.ID)
	})
	return depth, err
}

func resolveStuck(ctx context.Context, q *db.Queries, payoutID string) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.PayoutStuck, Subject: payoutID})
}

// markSpent removes payments that another transaction has spent from the balance and from
// every later choice, and opens an alert. Such a transaction comes from a second
// installation with the same seed, or from a withdrawal by hand: transactions of this
// service have their payments reserved. Its block must be as deep as that of a confirmed
// payout, because until then a reorganization could free the payment. A second run finds
// the payments marked.
func (a *Handler) markSpent(ctx context.Context, w *monero.Wallet, p db.Payout, in inputs) error {
	spent, err := a.spentDeep(ctx, w, in.spent)
	if err != nil || len(spent) == 0 {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.MarkSpentElsewhere(ctx, db.MarkSpentElsewhereParams{PayoutID: p.ID, Ids: spent})
		if err != nil || len(rows) == 0 {
			return err
		}
		amounts := make([]money.Piconero, len(rows))
		for i, r := range rows {
			amounts[i] = r.Amount
		}
		sum, err := money.Sum(amounts...)
		if err != nil {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.PaymentSpent, Subject: p.ID,
			Detail: fmt.Sprintf("payments of merchant %s, %d of %s XMR in all, were spent by transactions that are not of this service; the first came with %s",
				p.MerchantID, len(rows), sum, rows[0].TxHash),
		})
	})
}

// spentDeep returns the payments whose outputs are all spent in the chain, none of them
// by one of its newest blocks.
func (a *Handler) spentDeep(ctx context.Context, w *monero.Wallet, images map[int64][]string) ([]int64, error) {
	if len(images) == 0 {
		return nil, nil
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return nil, err
	}
	sent, err := w.Sent(ctx, info.Height-min(info.Height, payout.Confirmations))
	if err != nil {
		return nil, err
	}
	var newest []string
	for _, tx := range sent {
		if tx.Height == 0 { // in no block
			continue
		}
		bytes, err := a.Daemon.TransactionBytes(ctx, tx.TxHash)
		if err != nil {
			return nil, err
		}
		spends, err := monero.KeyImages(bytes)
		if err != nil {
			return nil, err
		}
		newest = append(newest, spends...)
	}
	var deep []int64
	for id, of := range images {
		states, err := a.Daemon.KeyImages(ctx, of)
		if err != nil {
			return nil, err
		}
		inChain := !slices.ContainsFunc(states, func(s monero.SpentStatus) bool { return s != monero.SpentInChain })
		if inChain && !slices.ContainsFunc(of, func(image string) bool { return slices.Contains(newest, image) }) {
			deep = append(deep, id)
		}
	}
	return deep, nil
}
