package activities_test

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

const booksDust = booksPerByte * booksPerInput

// again runs an activity, sometimes twice, as Temporal does. If the first run succeeds, the second must not be
// refused.
func (b *books) again(r *rapid.T, do func() error) error {
	err := do()
	if rapid.Bool().Draw(r, "twice") {
		if second := do(); err == nil {
			require.NoError(r, second, "the second run")
		}
	}
	return err
}

// refused reports whether an activity was refused. Any other error is a fault.
func refused(r *rapid.T, err error) bool {
	if _, is := refusals.Of(err); is {
		r.Logf("refused: %s", refusals.Text(err))
		return true
	}
	require.NoError(r, err)
	return false
}

// sweep pays a shop out, as far as the worker lives.
func (b *books) sweep(r *rapid.T) {
	ctx, s := b.t.Context(), pick(r, b.shops, "shop")
	if refused(r, b.payouts.CheckSweep(ctx, payouts.CheckSweep{MerchantID: s.merchant})) {
		return
	}
	in := payouts.ReservePayout{PayoutID: secret.NewID("po_"), MerchantID: s.merchant, Dust: booksDust, Now: b.tick()}
	if refused(r, b.again(r, func() error {
		_, err := b.payouts.ReservePayout(ctx, in)
		return err
	})) {
		return
	}
	b.reserved(r, in.PayoutID)
	b.begin(r, in.PayoutID)
}

// payClaim pays a claim of a refund in the same way.
func (b *books) payClaim(r *rapid.T) {
	if len(b.claims) == 0 {
		r.Skip("no claim")
	}
	if id := b.reserveClaim(r, pick(r, b.claims, "claim")); id != "" {
		b.begin(r, id)
	}
}

// reserveClaim returns the payout that pays a claim, empty if it is refused.
func (b *books) reserveClaim(r *rapid.T, claim string) string {
	in := payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claim, Dust: booksDust, Now: b.tick()}
	if refused(r, b.again(r, func() error {
		_, err := b.payouts.ReserveClaim(b.t.Context(), in)
		return err
	})) {
		return ""
	}
	b.reserved(r, in.PayoutID)
	return in.PayoutID
}

// payTwice has the network lose a transaction that pays a claim, an operator give it up, and the merchant
// take the claim back: another claim of the refund is paid.
func (b *books) payTwice(r *rapid.T) {
	b.sellDeep(r)
	b.scanAll(r)
	before := len(b.promises)
	b.refund(r)
	for _, of := range b.promises[before:] {
		for range 3 {
			if len(of.claims) == 0 {
				break
			}
			id := b.reserveClaim(r, of.claims[len(of.claims)-1])
			if id == "" {
				break
			}
			b.forward(r, id)
			b.forward(r, id)
			if b.ledger.payouts[id].ended || payout.Status(b.payout(r, id).Status) != payout.Broadcast {
				break
			}
			b.giveUp(r, id, true)
		}
	}
}

func (b *books) reserved(r *rapid.T, id string) {
	b.ledger.take(id, b.payout(r, id).MerchantID, b.taken(r, id))
	b.runs = append(b.runs, id)
}

// begin lets the first worker of a payout go as far as it lives.
func (b *books) begin(r *rapid.T, id string) {
	for range rapid.IntRange(0, 3).Draw(r, "steps before it dies") {
		b.forward(r, id)
	}
}

func (b *books) payout(r *rapid.T, id string) db.Payout {
	p, err := b.base.store.GetPayout(b.t.Context(), id)
	require.NoError(r, err)
	return p
}

// taken are the transactions of the payments that a payout has reserved.
func (b *books) taken(r *rapid.T, id string) (hashes []string) {
	rows, err := b.base.store.PayoutPayments(b.t.Context(), id)
	require.NoError(r, err)
	for _, row := range rows {
		hashes = append(hashes, row.TxHash)
	}
	return hashes
}

// alive are the payouts that have not failed and are in a state.
func (b *books) alive(r *rapid.T, states ...payout.Status) []string {
	return slices.DeleteFunc(slices.Clone(b.runs), func(id string) bool {
		return b.ledger.payouts[id].ended || !slices.Contains(states, payout.Status(b.payout(r, id).Status))
	})
}

// continuePayout has another worker take a payout up.
func (b *books) continuePayout(r *rapid.T) {
	list := b.alive(r, payout.Building, payout.Broadcast)
	if len(list) == 0 {
		r.Skip("no payout")
	}
	b.forward(r, pick(r, list, "payout"))
}

// forward makes the next step of a payout.
func (b *books) forward(r *rapid.T, id string) {
	p := b.payout(r, id)
	switch payout.Status(p.Status) {
	case payout.Building:
		if p.BuiltAt == nil {
			b.build(r, id)
		} else {
			b.relay(r, id)
		}
	case payout.Broadcast:
		b.checkDepth(r, id)
	case payout.Confirmed, payout.Failed:
	}
}

func (b *books) build(r *rapid.T, id string) {
	b.chain.smallest = rapid.Bool().Draw(r, "the wallet takes its smallest outputs first")
	err := b.again(r, func() error { return b.payouts.BuildPayout(b.t.Context(), payouts.PayoutTask{PayoutID: id}) })
	if code, _ := refusals.Of(err); code != refusals.Refund { // else it has not come to the wallet
		b.ledger.try(id)
	}
	failed := refused(r, err)
	if p := b.payout(r, id); p.BuiltAt != nil {
		b.ledger.store(id, *p.TxHash, b.taken(r, id))
		if b.builtFor[*p.TxHash] = ""; p.ClaimID != nil {
			b.builtFor[*p.TxHash] = *p.ClaimID
		}
	}
	if failed {
		b.fail(r, id)
	}
}

func (b *books) relay(r *rapid.T, id string) {
	if rapid.IntRange(0, 3).Draw(r, "dies before it is recorded") == 0 {
		b.chain.offer(b.chain.txs[b.ledger.payouts[id].tx])
		return
	}
	err := b.again(r, func() error {
		return b.payouts.RelayPayout(b.t.Context(), payouts.PayoutTask{PayoutID: id})
	})
	if _, is := refusals.Of(err); is {
		b.fail(r, id)
	} else if err != nil { // Temporal retries it, and operators get an alert
		require.ErrorContains(r, err, "spent by another transaction")
	}
}

func (b *books) checkDepth(r *rapid.T, id string) {
	var depth payouts.Depth
	require.NoError(r, b.again(r, func() (err error) {
		depth, err = b.payouts.CheckPayout(b.t.Context(), payouts.PayoutTask{PayoutID: id})
		return err
	}))
	if depth.Confirmed {
		b.ledger.confirm(id)
	}
}

// failOne gives up a payout that was not sent.
func (b *books) failOne(r *rapid.T) {
	list := b.alive(r, payout.Building)
	if len(list) == 0 {
		r.Skip("no payout")
	}
	b.fail(r, pick(r, list, "payout"))
}

func (b *books) fail(r *rapid.T, id string) {
	require.NoError(r, b.again(r, func() error {
		_, err := b.payouts.FailPayout(b.t.Context(), payouts.FailPayout{PayoutID: id, Reason: "it is a test"})
		return err
	}))
	b.ended(r, id)
}

func (b *books) ended(r *rapid.T, id string) {
	if payout.Status(b.payout(r, id).Status) == payout.Failed && !b.ledger.payouts[id].ended {
		r.Logf("payout %d was given up", slices.Index(b.runs, id))
		b.ledger.end(id)
	}
}

// release has an operator give up a payout that the network has lost.
func (b *books) release(r *rapid.T) {
	list := b.alive(r, payout.Broadcast)
	if len(list) == 0 {
		r.Skip("no payout")
	}
	b.giveUp(r, pick(r, list, "payout"), rapid.Bool().Draw(r, "the network loses and refuses it"))
}

func (b *books) giveUp(r *rapid.T, id string, lost bool) {
	if tx := b.chain.txs[b.ledger.payouts[id].tx]; lost && b.chain.depth(tx.hash) == 0 {
		delete(b.chain.pool, tx.hash)
		tx.refused = true
	}
	b.checkDepth(r, id)
	refused(r, b.again(r, func() error {
		return b.payouts.ReleasePayout(b.t.Context(), payouts.ReleasePayout{PayoutID: id, Actor: "cli:ann", Now: b.tick().Add(time.Hour)})
	}))
	b.ended(r, id)
	// Its claim may be taken back, before another payout pays it.
	for _, of := range b.promises {
		if claim := b.payout(r, id).ClaimID; claim != nil && slices.Contains(of.claims, *claim) && rapid.Bool().Draw(r, "its claim is cancelled") {
			refused(r, b.base.cancelRefund(b.t.Context(), chargestore.RefundDecision{RefundID: of.id, ClaimID: *claim, Now: b.tick()}))
			b.claimOf(r, of)
		}
	}
}

// refund grants a part of the money that a charge received, or of the balance.
func (b *books) refund(r *rapid.T) {
	if len(b.made) == 0 {
		r.Skip("no charge")
	}
	c := pick(r, b.made, "charge")
	in := chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: c.shop.merchant, ChargeID: c.id, TokenHash: []byte{1}, Leave: refund.WithinSettings,
		Now: b.tick(), ExpiresAt: b.now.Add(refund.DefaultLife),
	}
	amount := b.ledger.charges[c.id].most
	if rapid.IntRange(0, 4).Draw(r, "of no charge") == 0 {
		in.ChargeID, amount = "", c.asked
	}
	if amount = amount * money.Piconero(rapid.SampledFrom([]int{10, 5, 9}).Draw(r, "tenths")) / 10; amount == 0 {
		return
	}
	in.Ask = refund.Ask{Variant: refund.Custom, Amount: amount.Decimal(), Currency: money.XMR}
	if refused(r, b.again(r, func() error { return b.base.createRefund(b.t.Context(), in) })) {
		return
	}
	made := &booksRefund{id: in.RefundID, address: b.address(), amount: amount}
	b.promises = append(b.promises, made)
	b.ledger.grants[made.address] = &ledgerGrant{charge: in.ChargeID, amount: amount}
	b.claimOf(r, made)
}

// claim claims a refund once more.
func (b *books) claim(r *rapid.T) {
	if len(b.promises) == 0 {
		r.Skip("no refund")
	}
	b.claimOf(r, pick(r, b.promises, "refund"))
}

func (b *books) claimOf(r *rapid.T, of *booksRefund) {
	in := payouts.ClaimRefund{RefundID: of.id, ClaimID: secret.NewID("rc_"), Address: of.address, Now: b.tick()}
	if rapid.IntRange(0, 3).Draw(r, "a part") == 0 {
		in.Amount = of.amount / 2
	}
	var claimed payouts.ClaimedRefund
	if refused(r, b.again(r, func() (err error) {
		claimed, err = b.refunds.ClaimRefund(b.t.Context(), in)
		return err
	})) {
		return
	}
	if !slices.Contains(b.claims, claimed.ClaimID) {
		b.claims, of.claims = append(b.claims, claimed.ClaimID), append(of.claims, claimed.ClaimID)
	}
	refused(r, b.again(r, func() error {
		return b.base.approveRefund(b.t.Context(), chargestore.RefundDecision{RefundID: of.id, Now: b.tick()})
	}))
}

// cancel takes a claim back, or a refund.
func (b *books) cancel(r *rapid.T) {
	if len(b.promises) == 0 {
		r.Skip("no refund")
	}
	of := pick(r, b.promises, "refund")
	in := chargestore.RefundDecision{RefundID: of.id, Now: b.tick()}
	if len(of.claims) > 0 && rapid.Bool().Draw(r, "a claim of it") {
		in.ClaimID = pick(r, of.claims, "claim")
	}
	refused(r, b.again(r, func() error { return b.base.cancelRefund(b.t.Context(), in) }))
}

// look has the runs of all refunds look at their rows.
func (b *books) look(r *rapid.T) {
	if len(b.promises) == 0 {
		r.Skip("no refund")
	}
	for _, of := range b.promises {
		_, err := b.refunds.AdvanceRefund(b.t.Context(), payouts.AdvanceRefund{RefundID: of.id, Waiting: true, Now: b.tick()})
		require.NoError(r, err)
	}
}
