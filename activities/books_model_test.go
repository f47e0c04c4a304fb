package activities_test

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
	_ "github.com/durapay/durapay/tools/testseed"
)

// TestTheBooksAddUp lets customers pay, blocks come and go, money be spent by hand, and the activities of
// charges, payouts and refunds run in any order, twice, and not to their end. After every step the books must
// agree with the ledger, which has never seen the database. It makes a few runs; -rapid.checks=1000 makes as
// many as that, and -rapid.steps=60 longer ones.
func TestTheBooksAddUp(t *testing.T) {
	t.Parallel()
	const few = 6
	checks := flag.Lookup("rapid.checks")
	all := checks != nil && checks.Value.String() != checks.DefValue
	s := open(t, 1)
	empty := (&books{t: t, base: s}).dump(t.Context())
	runs, failed := 0, false
	rapid.Check(t, func(r *rapid.T) {
		if runs++; runs > few && !all && !failed {
			return
		}
		defer func() { failed = failed || r.Failed() }()
		(&books{t: t, base: s}).load(t.Context(), empty)
		b := openBooks(t, r, s, deriverNumbered(t, uint16(runs+1)), runs)
		r.Repeat(map[string]func(*rapid.T){
			"": b.check, "back up": b.backUp, "blocks": b.blocks, "cancel": b.cancel, "claim": b.claim, "come back": b.comeBack, "fail": b.failOne,
			"go on": b.continuePayout, "go on again": b.continuePayout, "look": b.look, "lose": b.lose, "lose everything": b.loseEverything, "missing for a day": b.day, "pay claim": b.payClaim,
			"pay claim again": b.payClaim, "pay lost": b.payLost, "pay more": b.payMore, "pay twice": b.payTwice, "refund": b.refund, "release": b.release, "reorganize": b.reorganize, "restore": b.restore,
			"sell": b.sell, "sell deep": b.sellDeep, "spent by hand": b.byHand, "sweep": b.sweep,
		})
	})
}

// books are two shops of one wallet: one with a fee whose charges need ten confirmations, and
// one without whose charges need two.
type books struct {
	t      *testing.T
	base   *shop
	wallet string
	shops  []*shop
	now    time.Time
	chain  *booksChain
	ledger *ledger
	// made are the charges, by the shop that they are of.
	made     []booksCharge
	promises []*booksRefund
	claims   []string
	runs     []string
	deriver  *monero.Deriver
	foreign  uint32
	// free is how many addresses remain, lost are those of charges that a restored database does not know.
	free int
	lost map[int32]bool
	// handedOut is the highest index of an address that any copy of the database has handed out.
	handedOut int32
	// builtFor is the claim that a transaction pays, by hash; empty for none.
	builtFor map[string]string
	saved    *backup
	witness  *witness.Keeper
	// signaled are the charges that the watcher has signaled, several at once.
	signaled map[string]bool

	payouts *payouts.Handler
	refunds *payouts.Handler
	scan    incoming.Scan
}

type booksCharge struct {
	id    string
	shop  *shop
	index int32
	asked money.Piconero
}

type booksRefund struct {
	id, address string
	amount      money.Piconero
	claims      []string
}

// booksAddresses is how many addresses a run has, and how many more after a restore.
const booksAddresses = 40

// openBooks makes a wallet and shops of its own in the database, which is cheaper than a
// database of its own.
func openBooks(t *testing.T, r *rapid.T, base *shop, deriver *monero.Deriver, run int) *books {
	t.Helper()
	ctx := t.Context()
	b := &books{t: t, base: base, wallet: fmt.Sprint("books-", run), deriver: deriver, signaled: map[string]bool{}, lost: map[int32]bool{}, builtFor: map[string]string{}}
	require.NoError(t, base.store.Pool().QueryRow(ctx, "SELECT date_trunc('second', now()) + interval '1 minute'").Scan(&b.now)) // views and defaults know the database's clock
	b.chain = newBooksChain(b.wallet)
	b.ledger = newLedger(b.chain)
	require.NoError(t, base.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: b.wallet, ChainID: b.wallet, Mode: "live", PrimaryAddress: "primary of " + b.wallet}))
	b.witness = witnesstest.Keeper(base.store, b.wallet)
	b.witness.Clock = b.tick
	b.publish(r)
	b.openShop(10, "0.05")
	b.openShop(2, "0")
	b.connect(r)
	b.scanAll(r) // payments are found from the first scan on
	return b
}

func (b *books) openShop(required int, rate string) {
	b.t.Helper()
	ctx := b.t.Context()
	s := &shop{store: b.base.store, box: b.base.box, charges: b.base.charges, merchant: secret.NewMerchantID()}
	_, err := s.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: s.merchant, EmailSealed: []byte{1}, EmailIndex: []byte(s.merchant), BusinessName: "Shop",
		PasswordHash: "x", LiveWalletID: b.wallet, SandboxWalletID: "sandbox-1",
	})
	require.NoError(b.t, err)
	_, err = s.store.Pool().Exec(ctx, "UPDATE merchants SET confirmations_required = $2, fee_rate = $3::text::numeric WHERE merchant_id = $1", s.merchant, required, rate)
	require.NoError(b.t, err)
	address := b.address()
	s.payToAddress(b.t, address)
	b.ledger.shops[s.merchant] = &ledgerShop{address: address, required: required, rate: money.MustDecimal(rate)}
	b.shops = append(b.shops, s)
}

// address returns an address of a foreign wallet, a different one each time.
func (b *books) address() string {
	b.t.Helper()
	b.foreign++
	return b.deriver.Subaddress(0, 1_000_000+b.foreign)
}

// connect lets the activities talk to the chain.
func (b *books) connect(r *rapid.T) {
	server := httptest.NewServer(b.chain)
	at := monero.Endpoint{URL: server.URL}
	daemon, wallet := monero.NewDaemon(at, monero.Options{}), monero.NewWallet(at, monero.Options{})
	r.Cleanup(func() {
		daemon.Close()
		wallet.Close()
		server.Close()
	})
	pairs := map[string]monero.OpenWallet{b.wallet: {Daemon: daemon, Spend: wallet, Deriver: b.deriver}}
	store := b.base.store
	b.payouts = &payouts.Handler{
		Store: store, Secret: b.base.box, Daemon: daemon, Wallets: pairs, Witness: b.witness, Clock: b.tick,
		Finished: func(payout.Status) {},
	}
	b.refunds = &payouts.Handler{Store: store, Secret: b.base.box}
	watcher := &incoming.Watch{
		Store: store, Chains: map[string]incoming.Chain{b.wallet: {
			Receiver: booksReceiver{xmrwallet.NewNetwork(daemon), b.chain, store, b.deriver}, WalletIDs: []string{b.wallet}, Merchants: []string{b.wallet},
		}},
		Clock: b.tick, Scanned: func(string, int64, time.Time) {},
	}
	watcher.Nudge = func() {
		pgtest.SendWakeups(b.t, store, func(_ context.Context, w outbox.Wakeup) error {
			if w.Kind == string(outbox.Charges) {
				b.signaled[w.ID] = true
			}
			return nil
		})
	}
	var err error
	b.scan, err = watcher.Scanner(b.wallet)
	require.NoError(b.t, err)
}

// tick returns a time that is different at each call, so that no two times are equal by chance.
func (b *books) tick() time.Time {
	b.now = b.now.Add(time.Second)
	return b.now
}

// scanAll lets the service scan the chain, and advances the charges.
func (b *books) scanAll(r *rapid.T) {
	for range 5 {
		found, err := b.scan(b.t.Context())
		require.NoError(r, err)
		for _, c := range b.made {
			if b.signaled[c.id] {
				_, err := c.shop.activity().AdvanceCharge(b.t.Context(), incoming.AdvanceCharge{ChargeID: c.id, Now: b.tick()})
				require.NoError(r, err)
			}
		}
		clear(b.signaled)
		if found.Quiet {
			break
		}
	}
	b.ledger.look()
}

// check requires the invariants that hold after every step.
func (b *books) check(r *rapid.T) {
	b.scanAll(r)
	b.requireSeen(r)
	for i, s := range b.shops {
		require.Empty(r, b.ledger.check(s.merchant, b.statement(r, s)), "shop %d", i)
	}
}

// statement returns the merchant's balance, and the sums of confirmed payouts.
func (b *books) statement(r *rapid.T, s *shop) (is statement) {
	ctx := b.t.Context()
	sum, err := s.store.UnpaidSummary(ctx, db.UnpaidSummaryParams{MerchantID: s.merchant, WalletID: b.wallet})
	require.NoError(r, err)
	is.owed = sum.Total
	is.held, err = s.store.InPayouts(ctx, s.merchant)
	require.NoError(r, err)
	require.NoError(r, s.store.Pool().QueryRow(ctx, `SELECT COALESCE(sum(amount), 0)::piconero, COALESCE(sum(refund_amount), 0)::piconero,
		COALESCE(sum(fee), 0)::piconero, COALESCE(sum(network_fee), 0)::piconero FROM payouts WHERE merchant_id = $1 AND status = 'confirmed'`, s.merchant).
		Scan(&is.paid, &is.refunded, &is.fees, &is.chainFees))
	return is
}
