package witness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const (
	paidTrade = "00000000000000000000000000000001"
	lostTrade = "000000000000000000000000000000ff"
	merchant  = "0123456789abcdef0123456789abcdef"
	payoutID  = "po_0123456789abcdef01234567"
)

// older is an exchange whose database was restored. A trade that is open here was
// paid, and so was one that is not known here.
type older struct {
	store  *postgres.Store
	keeper *witness.Keeper
	wallet witness.Wallet
}

func openOlder(t *testing.T) *older {
	t.Helper()
	o := &older{store: pgtest.New(t)}
	for _, w := range []string{"x", "l"} {
		require.NoError(t, o.store.UpsertExchangeWallet(t.Context(), db.UpsertExchangeWalletParams{ID: w, ChainID: w + "-n", Ticker: w, Network: "n", Decimals: 8}))
	}
	o.keeper = witnesstest.Keeper(o.store, "x", "l")
	o.wallet = o.keeper.Wallets["l"]
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
	o.exec(t, `INSERT INTO trades (id, id_provider, details_sealed, provider, risk, wallet_from, wallet_to, ticker_from, network_from, ticker_to,
		network_to, amount_from, amount_to, rate, min_from, max_from, deposit_address, confirmations, created_at,
		window_seconds, expires_at, status, reserved, updated_at)
		VALUES ($1, 'sw_000000000000000000000001', '\x00', 'durapay', 'precheck', 'x', 'l', 'xmr', 'n', 'ltc', 'n', 1, 2, 2, 0.05, 20, 'deposit', 2, now() - interval '2 hours', 3600, now() - interval '1 hour', 'awaiting_deposit', 2, now())`, paidTrade)
	return o
}

func (o *older) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := o.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// deposit inserts the trade's deposit as the watcher sees it after the restore.
func (o *older) deposit(t *testing.T) {
	t.Helper()
	o.exec(t, `INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at) VALUES ($1, 'x', 'd', 'deposit', 1, 1, 100000000, now())`, paidTrade)
}

// sent makes the newer copy of the database send a transaction, and returns its hash.
func (o *older) sent(t *testing.T, seq int64, trade, kind string) string {
	t.Helper()
	e := witness.Entry{
		Seq: seq, TxHash: fmt.Sprintf("tx %d", seq), Purpose: "trade_payout", Amount: "2", Fee: "0.001",
		Pays: []witness.Reference{{TradeID: trade, Kind: kind, DepositTx: "d", DepositAddress: "deposit", Amount: "2", Paid: "2", Fee: "0.001"}},
	}
	for _, p := range o.wallet.Places() {
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: seq, Addresses: 40}, &e))
	}
	o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: e.TxHash, Amount: 2, Fee: 1, Height: 500})
	return e.TxHash
}

func (o *older) recoverer(accept ...string) *witness.Recoverer {
	return &witness.Recoverer{
		Keeper: o.keeper, Actor: "cli:test", Accept: accept,
		Address: func(db.Merchant, string) ([]byte, error) { return []byte("sealed"), nil },
	}
}

func outcomes(r witness.Recovery) map[string]string {
	list := map[string]string{}
	for _, s := range r.Sends {
		list[s.TxHash] = s.Outcome
	}
	return list
}

func TestRecoverTakesOverWhatWasSent(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	first, second := o.sent(t, 1, paidTrade, "payout"), o.sent(t, 2, lostTrade, "payout")
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)

	early, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.False(t, early.Ended)
	require.Equal(t, map[string]string{first: witness.Undecided, second: witness.Recorded}, outcomes(early), "its deposit was not seen yet")
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)

	o.deposit(t)
	o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at)
		SELECT trade_id, id, 'refund', 'x', 1, now() FROM trade_deposits`) // the restored copy takes it for late
	shown, err := o.recoverer().Show(t.Context(), "l")
	require.NoError(t, err)
	require.Equal(t, map[string]string{first: witness.TakenOver}, outcomes(shown))
	require.False(t, shown.Applied)
	require.EqualValues(t, 40, shown.Burned)
	var transactions int
	require.NoError(t, o.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM outgoing_transactions WHERE tx_hash = $1", first).Scan(&transactions))
	require.Zero(t, transactions, "it is only shown")

	for n := range 2 {
		done, err := o.recoverer().Apply(t.Context(), "l")
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended, "the second run finds nothing to end")
	}
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Len(t, payments, 1)
	require.Equal(t, "payout sent "+first, payments[0].Kind+" "+payments[0].State+" "+*payments[0].TxHash)
	require.Zero(t, payments[0].Paid.Cmp(money.MustDecimal("2")))
	var inTime bool
	require.NoError(t, o.store.Pool().QueryRow(t.Context(), "SELECT d.first_seen_at < t.expires_at FROM trade_deposits d JOIN trades t ON t.id = d.trade_id").Scan(&inTime))
	require.True(t, inTime, "what was swapped had come in time")
	unknown, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "send_unmatched", Subject: second})
	require.NoError(t, err)
	require.True(t, unknown)
	safe, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "safe_mode", Subject: "l"})
	require.NoError(t, err)
	require.False(t, safe)
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
	s, err := o.keeper.Ensure(t.Context(), "l")
	require.NoError(t, err)
	require.Equal(t, witness.Standing{From: 40, To: 40}, s)
	highest, err := o.store.SentNumber(t.Context(), "l")
	require.NoError(t, err)
	require.EqualValues(t, 2, highest, "the next transaction is numbered above")
}

// TestRecoverReplacesWhatThisCopyBuilt: this copy of the database had stored other
// bytes for the same deposit. They are abandoned.
func TestRecoverReplacesWhatThisCopyBuilt(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	o.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, trade_ids, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at)
		VALUES (7, 'l', 'trade_payout', ARRAY[$1], 'built', 1, 'mine', '\x00', '{}', 2, 0, now(), now())`, paidTrade)
	o.exec(t, `INSERT INTO outgoing_sequences VALUES ('l', 1)`)
	o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
		SELECT trade_id, id, 'payout', 'l', 2, 7, 2, 0, now() FROM trade_deposits`)
	hash := o.sent(t, 2, paidTrade, "payout")
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	of := o.wallet.Chain.(*witnesstest.Chain)
	_, err := o.recoverer().Show(t.Context(), "l")
	require.NoError(t, err)
	require.Empty(t, of.Released(), "it is only shown")
	require.NoError(t, o.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: "send_dropped", Subject: "mine"}))
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, []string{"mine"}, of.Released(), "its coins are free")
	alerted, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "send_dropped", Subject: "mine"})
	require.NoError(t, err)
	require.False(t, alerted)
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Len(t, payments, 1)
	require.Equal(t, hash, *payments[0].TxHash)
	mine, err := o.store.GetOutgoing(t.Context(), 7)
	require.NoError(t, err)
	require.Equal(t, "abandoned", mine.State)
}

// TestAbandonedTransactionThatIsMinedIsTakenBack: a transaction was abandoned and its
// debts were planned again. It is in the pool, which changes nothing, and then in a
// block: no debt is paid a second time.
func TestAbandonedTransactionThatIsMinedIsTakenBack(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	o.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, trade_ids, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at,
		abandoned_at, abandoned_by) VALUES (7, 'l', 'trade_payout', ARRAY[$1], 'abandoned', 1, 'tx 1', '\x00', '{}', 2, 0, now(), now(), now(), 'cli:ann')`, paidTrade)
	o.exec(t, `INSERT INTO outgoing_sequences VALUES ('l', 1)`)
	o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at)
		SELECT trade_id, id, 'payout', 'l', 2, now() FROM trade_deposits`)
	o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: "tx 1"})
	require.NoError(t, o.keeper.Compare(t.Context(), "l"), "it may lie in a pool for days")
	require.Equal(t, "tx 1", o.sent(t, 1, paidTrade, "payout"))
	for range 2 {
		require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	}
	alerted, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "safe_mode", Subject: "l"})
	require.NoError(t, err)
	require.True(t, alerted)
	for n := range 2 {
		done, err := o.recoverer().Apply(t.Context(), "l")
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended)
	}
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Len(t, payments, 1)
	require.Equal(t, "sent", payments[0].State)
	require.EqualValues(t, 7, *payments[0].TransactionID)
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
}

// TestRecoverAfterTwoCopiesUsedOneNumber: this copy of the database stored a
// transaction under a number that another copy, running at the same time, has used.
// After the recovery, the stored one can be relayed, and the next one stored.
func TestRecoverAfterTwoCopiesUsedOneNumber(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	o.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at)
		VALUES (7, 'l', 'consolidation', 'built', 3, 'mine', '\x00', '{}', 2, 0, now(), now())`)
	o.exec(t, `INSERT INTO outgoing_sequences VALUES ('l', 3)`)
	theirs := o.sent(t, 3, paidTrade, "payout")
	mine := func() witness.Entry {
		tx, err := o.store.GetOutgoing(t.Context(), 7)
		require.NoError(t, err)
		return witness.Entry{Seq: *tx.Seq, TxHash: *tx.TxHash, Purpose: tx.Purpose, Amount: "2", Fee: "0"}
	}
	require.ErrorIs(t, o.keeper.BeforeRelay(t.Context(), "l", mine(), false), witness.ErrSafeMode)
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, map[string]string{theirs: witness.TakenOver}, outcomes(done))

	require.NoError(t, o.keeper.BeforeRelay(t.Context(), "l", mine(), false))
	o.exec(t, "UPDATE outgoing_transactions SET state = 'sent', sent_at = now() WHERE id = 7")
	id, err := o.store.ClaimWallet(t.Context(), db.ClaimWalletParams{
		WalletID: "l", Purpose: "consolidation", TradeIds: []string{}, CreatedAt: time.Now(),
	})
	require.NoError(t, err)
	_, err = o.store.StoreBuilt(t.Context(), db.StoreBuiltParams{
		ID: id, TxHash: "next", Raw: []byte{0}, Inputs: []string{}, Paid: money.MustDecimal("1"), Fee: money.MustDecimal("0"), BuiltAt: time.Now(),
	})
	require.NoError(t, err)
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
}

// TestRecoverLeavesWhatIsUnknown: without a journal entry, an operator must confirm
// that the transaction is in order.
func TestRecoverLeavesWhatIsUnknown(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: "by hand", Height: 9})
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	for _, accept := range [][]string{nil, {"another"}} {
		found, err := o.recoverer(accept...).Apply(t.Context(), "l")
		require.NoError(t, err)
		require.False(t, found.Ended)
		require.Equal(t, map[string]string{"by hand": witness.Undecided}, outcomes(found))
	}
	found, err := o.recoverer("by hand").Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, found.Ended)
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
}

// TestRecoverWritesAPayoutAgain: a merchant's payout that this copy does not know is
// inserted from the payments that it spent, so that they are not swept again.
func TestRecoverWritesAPayoutAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	ctx := t.Context()
	_, err := b.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte("m"), BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: wallet, SandboxWalletID: wallet,
	})
	require.NoError(t, err)
	e := entry(1)
	e.Amount, e.Fee, e.Pays = "0.9", "0.01", []witness.Reference{{PayoutID: payoutID, MerchantID: merchant}}
	require.NoError(t, b.file.Raise(ctx, witness.Mark{Sends: 1}, &e))
	b.chain.Show(witness.Sent{TxHash: e.TxHash, Height: 9})
	b.chain.Receive(witness.Received{TxHash: "in", SubaddressIndex: 4})
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	b.webhook(t)
	r := b.recoverer()
	early, err := r.Apply(ctx, wallet)
	require.NoError(t, err)
	require.False(t, early.Ended, "what it spent was not seen yet")
	require.NoError(t, b.store.InsertReceivedPayment(ctx, db.InsertReceivedPaymentParams{
		WalletID: wallet, TxHash: "in", SubaddressIndex: 4, Amount: money.OneXMR, Outputs: 1, FirstSeenAt: time.Now(),
	}))
	done, err := r.Apply(ctx, wallet)
	require.NoError(t, err)
	require.True(t, done.Ended)
	p, err := b.store.GetPayout(ctx, payoutID)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	require.Equal(t, money.OneXMR, p.Gross)
	require.Equal(t, p.Gross, p.Amount+p.Fee+p.NetworkFee)
	rows, err := b.store.PayoutPayments(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	tx, err := b.store.OutgoingOfPayout(ctx, payoutID)
	require.NoError(t, err)
	require.Equal(t, e.TxHash, *tx.TxHash)
	messages := b.messages(t)
	require.Len(t, messages, 1, "the merchant is told, as this database never did")
	require.Equal(t, "payout.sent", messages[0].Event)
	require.Equal(t, payoutData{ID: payoutID, TxHash: e.TxHash, Amount: p.Amount}, messages[0].Data)

	// The payout is abandoned, and then its transaction is mined: it counts as sent.
	for _, sql := range []string{
		"UPDATE payouts SET status = 'failed', error = 'released by the operator'", "UPDATE received_payments SET payout_id = NULL",
		"UPDATE outgoing_transactions SET state = 'abandoned', abandoned_at = now(), abandoned_by = 'cli:ann'",
	} {
		_, err := b.store.Pool().Exec(ctx, sql)
		require.NoError(t, err)
	}
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	for n := range 2 {
		done, err := r.Apply(ctx, wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended)
	}
	p, err = b.store.GetPayout(ctx, payoutID)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	rows, err = b.store.PayoutPayments(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	again, err := b.store.OutgoingOfPayout(ctx, payoutID)
	require.NoError(t, err)
	require.Equal(t, tx.ID, again.ID, "the same transaction")
	require.Len(t, b.messages(t), 1, "of a payout its merchant is told once")
}

// webhook subscribes the merchant to payouts.
func (b *bench) webhook(t *testing.T) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, created_at)
		VALUES ('wh_1', $1, 'https://shop.example', '{payout.sent}', '\x01', now())`, merchant)
	require.NoError(t, err)
}

// messages returns the messages that are queued for the merchant.
func (b *bench) messages(t *testing.T) (list []message) {
	t.Helper()
	rows, err := b.store.Pool().Query(t.Context(), "SELECT e.payload FROM deliveries d JOIN events e ON e.id = d.event_id")
	require.NoError(t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for _, text := range texts {
		var m message
		require.NoError(t, json.Unmarshal([]byte(text), &m))
		list = append(list, m)
	}
	return list
}

// message is the body of a delivery.
type message struct {
	Event string     `json:"event"`
	Data  payoutData `json:"data"`
}

// payoutData is the part of a payout in a message.
type payoutData struct {
	ID     string         `json:"id"`
	TxHash string         `json:"tx_hash"`
	Amount money.Piconero `json:"amount_xmr"`
	SwapID string         `json:"swap_id"`
}

// unread is a chain whose wallet was created again from its seed: it sees neither its
// money nor the transactions that spent it before it has read the chain again.
type unread struct {
	*witnesstest.Chain

	read bool
}

func (c *unread) Restore(context.Context, int64) (bool, error) {
	before := c.read
	c.read = true
	return !before, nil
}

func (c *unread) SentSince(ctx context.Context, height int64, by witness.Asking) ([]witness.Sent, int64, error) {
	sent, tip, err := c.Chain.SentSince(ctx, height, by)
	if !c.read {
		sent = nil
	}
	return sent, tip, err
}

// TestRecoverLetsTheWalletReadFirst: an older database and a wallet from its seed.
// The sent transaction is taken over, and not sent again once safe mode has ended.
func TestRecoverLetsTheWalletReadFirst(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	first := o.sent(t, 1, paidTrade, "payout")
	o.wallet.Chain = &unread{Chain: o.wallet.Chain.(*witnesstest.Chain)}
	o.keeper.Wallets["l"] = o.wallet
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	o.deposit(t)
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, map[string]string{first: witness.TakenOver}, outcomes(done))
}

// keyless is a chain whose wallet was created again from its seed, and sees only the
// money of addresses whose keys it has made.
type keyless struct {
	*unread

	keys map[string]bool
}

func (c *keyless) Restore() {} // only the watcher makes them

func (c *keyless) Watches(_ context.Context, address string) (bool, error) {
	return c.keys[address], nil
}

// TestRecoverWaitsUntilTheWalletHasItsKeys: an older database, a lost mark of
// Temporal and a wallet from its seed. The wallet's list of sent transactions is not
// trusted before it watches its addresses and has read the chain since.
func TestRecoverWaitsUntilTheWalletHasItsKeys(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	first := o.sent(t, 1, paidTrade, "payout")
	o.deposit(t)
	o.wallet.File.(*witnesstest.Memory).Forget() // the file is new
	temporal := o.wallet.Temporal.(*witnesstest.Memory)
	temporal.Set(witness.Mark{})
	o.exec(t, `INSERT INTO addresses (wallet_id, subaddress_index, address) VALUES ('l', 2000, 'far')`)
	c := &keyless{unread: &unread{Chain: o.wallet.Chain.(*witnesstest.Chain)}, keys: map[string]bool{}}
	o.wallet.Chain = c
	o.keeper.Wallets["l"] = o.wallet
	refused := func() {
		t.Helper()
		require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrUnknown)
		_, err := o.recoverer().Apply(t.Context(), "l")
		require.ErrorIs(t, err, witness.ErrUnknown)
	}
	refused()
	require.NoError(t, o.store.SetRescan(t.Context(), "l-n"))
	c.keys["far"] = true
	refused() // the watcher died here
	c.read = true
	require.NoError(t, o.store.ClearRescan(t.Context(), "l-n"))
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, map[string]string{first: witness.TakenOver}, outcomes(done))
}

// noted makes the newer copy of the database record a transaction before it relayed
// it. No block shows the transaction.
func (o *older) noted(t *testing.T, seq int64, trade string) string {
	t.Helper()
	e := witness.Entry{
		Seq: seq, TxHash: fmt.Sprintf("tx %d", seq), Purpose: "trade_payout", Amount: "2", Fee: "0.001",
		Pays: []witness.Reference{{TradeID: trade, Kind: "payout", DepositTx: "d", DepositAddress: "deposit", Amount: "2", Paid: "2", Fee: "0.001"}},
	}
	for _, p := range o.wallet.Places() {
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: seq}, &e))
	}
	return e.TxHash
}

// TestRecoverTakesOverWhatWaitsInThePool: the transaction is in no block yet, and
// will be.
func TestRecoverTakesOverWhatWaitsInThePool(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	waits := o.noted(t, 1, paidTrade)
	for _, p := range o.wallet.Places() {
		p.(*witnesstest.Memory).Forget() // only the pool, and the note of its hash, know it
	}
	require.NoError(t, o.wallet.File.Raise(t.Context(), witness.Mark{Sends: 1}, nil))
	o.wallet.Chain.(*witnesstest.Chain).Wait(waits)
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Equal(t, map[string]string{waits: witness.Undecided, witness.Nameless: witness.Undecided}, outcomes(done), "nobody knows what it paid")

	o.noted(t, 1, paidTrade)
	done, err = o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, map[string]string{waits: witness.TakenOver}, outcomes(done))
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Len(t, payments, 1)
}

// TestRecoverAsksAboutWhatIsNowhere: a transaction was recorded, and neither block
// nor pool has it. Another daemon may have its bytes, so an operator decides that its
// debt is paid again.
func TestRecoverAsksAboutWhatIsNowhere(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	nowhere := o.noted(t, 1, paidTrade)
	o.wallet.Chain.(*witnesstest.Chain).Miss(nowhere)
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	for range 2 {
		done, err := o.recoverer().Apply(t.Context(), "l")
		require.NoError(t, err)
		require.False(t, done.Ended)
		require.Equal(t, map[string]string{nowhere: witness.Undecided}, outcomes(done))
		require.Contains(t, done.Sends[0].Why, "in no pool")
	}
	done, err := o.recoverer(nowhere).Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Empty(t, payments, "it is owed")
	require.NoError(t, o.keeper.Compare(t.Context(), "l"))
}

// TestLeaseIsNotOpenedOverWhatWaitsInThePool: no place knows more than the older
// database, but the pool does.
func TestLeaseIsNotOpenedOverWhatWaitsInThePool(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.wallet.Chain.(*witnesstest.Chain).Wait("tx 1")
	require.NoError(t, o.keeper.Compare(t.Context(), "l"), "asked for where a lease is opened")
	o.exec(t, "VACUUM FULL witnesses") // another instance, as after a restore
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
}
