package witness_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const secondTrade = "00000000000000000000000000000002"

// accepted makes a transaction known, so that the chain can advance.
func (o *older) accepted(t *testing.T, txHash string, height uint64) {
	t.Helper()
	o.exec(t, `INSERT INTO acknowledged_sends (wallet_id, tx_hash, kind, note, acknowledged_at) VALUES ('l', $1, 'accepted', '{}', now())`, txHash)
	o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: txHash, Height: height})
}

func (o *older) payment(t *testing.T, trade string) db.TradePaymentState {
	t.Helper()
	payments, err := o.store.TradePayments(t.Context(), trade)
	require.NoError(t, err)
	require.Len(t, payments, 1)
	return payments[0]
}

func (o *older) state(t *testing.T, txHash string) (state string) {
	t.Helper()
	require.NoError(t, o.store.Pool().QueryRow(t.Context(), "SELECT state FROM outgoing_transactions WHERE tx_hash = $1", txHash).Scan(&state))
	return state
}

// TestRecoverLetsTheMinedOneWin: a transaction paid a debt, another transaction spent
// its coins, it was released, and a second one paid the debt and is deep. The daemon
// keeps the bytes of the first, in its pool or out of a stale block. The debt stays
// with the mined transaction.
func TestRecoverLetsTheMinedOneWin(t *testing.T) {
	t.Parallel()
	for name, lies := range map[string]func(*witnesstest.Chain, string){
		"dead in the pool": func(c *witnesstest.Chain, hash string) { c.Wait(hash); c.Lose(hash) },
		"in a stale block": func(c *witnesstest.Chain, hash string) { c.Lose(hash) },
		"in no block":      func(*witnesstest.Chain, string) {},
		"alive":            func(c *witnesstest.Chain, hash string) { c.Wait(hash) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOlder(t)
			o.deposit(t)
			mined, first := o.sent(t, 2, paidTrade, "payout"), o.noted(t, 1, paidTrade)
			lies(o.wallet.Chain.(*witnesstest.Chain), first)
			o.accepted(t, "other", 700)
			require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
			for range 2 {
				done, err := o.recoverer().Apply(t.Context(), "l")
				require.NoError(t, err)
				require.False(t, done.Ended)
				require.Equal(t, witness.Undecided, outcomes(done)[first])
			}
			done, err := o.recoverer(first).Apply(t.Context(), "l")
			require.NoError(t, err)
			require.True(t, done.Ended)
			require.Equal(t, map[string]string{first: witness.Accepted}, outcomes(done))
			require.Equal(t, mined, *o.payment(t, paidTrade).TxHash)
			require.Equal(t, "sent", o.state(t, mined))
			require.NoError(t, o.keeper.Compare(t.Context(), "l"))
		})
	}
}

// TestRecoverNeverTakesDeadBytesForAPayment: bytes whose coins another transaction in a
// block has spent pay no debt, even if no other transaction paid it.
func TestRecoverNeverTakesDeadBytesForAPayment(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.deposit(t)
	dead := o.noted(t, 1, paidTrade)
	o.wallet.Chain.(*witnesstest.Chain).Wait(dead)
	o.wallet.Chain.(*witnesstest.Chain).Lose(dead)
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.Contains(t, done.Sends[0].Why, "spends its coins")
	payments, err := o.store.TradePayments(t.Context(), paidTrade)
	require.NoError(t, err)
	require.Empty(t, payments)
}

// paidTwice makes a debt with two payments: "mine", bytes of this copy of the database
// that lie puts on the chain, and another transaction, number seq, in a block, whose
// hash it returns.
func (o *older) paidTwice(t *testing.T, seq int64, lie func(*witnesstest.Chain)) (mined string) {
	t.Helper()
	o.deposit(t)
	o.made(t, 7, "mine", "sent", paidTrade)
	o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
		SELECT trade_id, id, 'payout', 'l', 2, 7, 2, 0, now() FROM trade_deposits`)
	lie(o.wallet.Chain.(*witnesstest.Chain))
	mined = o.sent(t, seq, paidTrade, "payout")
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	return mined
}

// requireUndecided recovers, and requires that a transaction is left to an operator
// with this reason.
func (o *older) requireUndecided(t *testing.T, txHash, why string) {
	t.Helper()
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.Equal(t, map[string]string{txHash: witness.Undecided}, outcomes(done))
	require.Contains(t, done.Sends[0].Why, why)
	require.Equal(t, "sent", o.state(t, "mine"))
}

// requireGivenUp recovers, and requires that "mine" is abandoned for a mined
// transaction.
func (o *older) requireGivenUp(t *testing.T, mined string) {
	t.Helper()
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, map[string]string{mined: witness.TakenOver}, outcomes(done))
	require.Equal(t, "abandoned", o.state(t, "mine"))
	require.Equal(t, []string{"mine"}, o.wallet.Chain.(*witnesstest.Chain).Released())
	require.Equal(t, mined, *o.payment(t, paidTrade).TxHash)
}

// TestRecoverLeavesWhatTheChainShows: this copy of the database stored bytes for a debt
// that another transaction, in a block, has paid. The bytes wait in the pool, so they
// are not abandoned. The debt belongs to the mined transaction once an operator has
// accepted that it may be paid twice.
func TestRecoverLeavesWhatTheChainShows(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	mined := o.paidTwice(t, 3, func(c *witnesstest.Chain) { c.Wait("mine") })
	o.requireUndecided(t, mined, "waits in the pool")
	done, err := o.recoverer(mined).Apply(t.Context(), "l")
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, mined, *o.payment(t, paidTrade).TxHash)
	require.Equal(t, "sent", o.state(t, "mine"), "a block may have it any time")
}

// TestRecoverWaitsForThePool: this copy of the database stored bytes for a debt that
// another transaction has paid, and a third one in the pool spends their coins. The
// bytes are not abandoned before a block has the third one: then they can never be
// mined.
func TestRecoverWaitsForThePool(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	mined := o.paidTwice(t, 8, func(c *witnesstest.Chain) { c.Contest("mine") })
	o.requireUndecided(t, mined, "another one in the pool")
	o.wallet.Chain.(*witnesstest.Chain).Lose("mine")
	o.requireGivenUp(t, mined)
}

// TestRecoverGivesUpWhatSpendsFromNothing: this copy of the database stored bytes for a
// debt that spend from a missing transaction. They are abandoned like bytes that are
// missing themselves, because waiting would not decide their fate.
func TestRecoverGivesUpWhatSpendsFromNothing(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.requireGivenUp(t, o.paidTwice(t, 8, func(c *witnesstest.Chain) { c.Orphan("mine") }))
}

// TestRecoverStartsAgainWhenAnotherRunWasFaster: a worker that had started before
// advances this copy's transaction for a debt after the recovery has read it and before
// it abandons it. The recovery then writes nothing, and the next one uses the new
// state.
func TestRecoverStartsAgainWhenAnotherRunWasFaster(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state, moves, why string
	}{
		"a claim is stored":          {"building", "UPDATE outgoing_transactions SET state = 'built', seq = 7, tx_hash = 'mine', raw = '\\x00', inputs = '{}', paid = 2, fee = 0, built_at = now() WHERE id = 7", ""},
		"what was sent is confirmed": {"sent", "UPDATE outgoing_transactions SET state = 'confirmed', confirmed_at = now(), height = 490 WHERE id = 7", "is in a block"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOlder(t)
			o.deposit(t)
			o.made(t, 7, "mine", "sent", paidTrade)
			if c.state == "building" {
				o.exec(t, "UPDATE outgoing_transactions SET state = 'building', seq = NULL, tx_hash = NULL, raw = NULL, inputs = NULL, paid = NULL, fee = NULL, built_at = NULL, sent_at = NULL WHERE id = 7")
			}
			o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
				SELECT trade_id, id, 'payout', 'l', 2, 7, CASE WHEN $1 = 'sent' THEN 2 END, CASE WHEN $1 = 'sent' THEN 0 END, now() FROM trade_deposits`, c.state)
			mined := o.sent(t, 8, paidTrade, "payout")
			require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
			done := o.meanwhile(t, c.moves)
			require.ErrorContains(t, <-done, "ask again")
			unknown := 0
			require.NoError(t, o.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM outgoing_transactions WHERE tx_hash = $1", mined).Scan(&unknown))
			require.Zero(t, unknown, "nothing is written")
			again, err := o.recoverer().Apply(t.Context(), "l")
			require.NoError(t, err)
			if c.why != "" {
				require.Contains(t, again.Sends[0].Why, c.why)
				return
			}
			require.True(t, again.Ended)
			require.Equal(t, "abandoned", o.state(t, "mine"))
		})
	}
}

// meanwhile recovers while another database transaction has changed a row. It commits
// that transaction once the recovery waits for it.
func (o *older) meanwhile(t *testing.T, sql string) (done chan error) {
	t.Helper()
	tx, err := o.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), sql)
	require.NoError(t, err)
	done = make(chan error, 1)
	go func() {
		_, err := o.recoverer().Apply(t.Context(), "l")
		done <- err
	}()
	pgtest.AwaitBlocked(t, o.store, tx, 1)
	require.NoError(t, tx.Commit(t.Context()))
	return done
}

// TestRecoverAcceptsNothingNextToWhatIsRelayedAgain: the transaction that this copy
// stored waits in the pool, or another one in the pool decides about it. The service
// would relay it again for its other debt, or because it never was relayed, and pay
// this debt a second time. So an operator cannot accept the mined one before the fate
// of the stored one is known.
func TestRecoverAcceptsNothingNextToWhatIsRelayedAgain(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct{ state, also string }{
		"never relayed": {state: "built"}, "pays another trade too": {"sent", "two"},
	} {
		for where, put := range map[string]func(*witnesstest.Chain){
			"in the pool": func(c *witnesstest.Chain) { c.Wait("mine") }, "contested": func(c *witnesstest.Chain) { c.Contest("mine") },
		} {
			t.Run(name+", "+where, func(t *testing.T) {
				t.Parallel()
				o := openOlder(t)
				o.deposit(t)
				o.made(t, 7, "mine", of.state, paidTrade)
				if of.also != "" {
					o.exec(t, "UPDATE outgoing_transactions SET trade_ids = trade_ids || $1::text WHERE id = 7", of.also)
				}
				o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, transaction_id, paid, fee, created_at)
					SELECT trade_id, id, 'payout', 'l', 2, 7, 2, 0, now() FROM trade_deposits`)
				chain := o.wallet.Chain.(*witnesstest.Chain)
				put(chain)
				mined := o.sent(t, 8, paidTrade, "payout")
				require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
				done, err := o.recoverer(mined).Apply(t.Context(), "l")
				require.NoError(t, err)
				require.False(t, done.Ended)
				require.Equal(t, witness.Waiting, outcomes(done)[mined])
				require.Equal(t, "mine", *o.payment(t, paidTrade).TxHash)
				require.Equal(t, of.state, o.state(t, "mine"))
			})
		}
	}
}

// made inserts a transaction of this copy of the database.
func (o *older) made(t *testing.T, id int64, hash, state, trade string) {
	t.Helper()
	o.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, trade_ids, state, seq, tx_hash, raw, inputs, paid, fee, created_at, built_at,
			sent_at, confirmed_at, height, abandoned_at, abandoned_by)
		VALUES ($1, 'l', 'refund', ARRAY[$2], $3, $1, $4, '\x00', '{}', 1, 0, now(), now(),
			now(), CASE WHEN $3 = 'confirmed' THEN now() END, CASE WHEN $3 = 'confirmed' THEN 490 END,
			CASE WHEN $3 = 'abandoned' THEN now() END, CASE WHEN $3 = 'abandoned' THEN 'cli:ann' END)`, id, trade, state, hash)
	o.exec(t, `INSERT INTO outgoing_sequences VALUES ('l', $1) ON CONFLICT (wallet_id) DO UPDATE SET seq = GREATEST(outgoing_sequences.seq, $1)`, id)
}

// batch makes a transaction in a block with which a newer copy of the database, or this
// one earlier, paid two deposits.
func (o *older) batch(t *testing.T) string {
	t.Helper()
	ref := func(trade, tx, address string) witness.Reference {
		return witness.Reference{TradeID: trade, Kind: "refund", DepositTx: tx, DepositAddress: address, Amount: "1", Paid: "1", Fee: "0"}
	}
	e := witness.Entry{
		Seq: 1, TxHash: "tx 1", Purpose: "refund", Amount: "2", Fee: "0",
		Pays: []witness.Reference{ref(paidTrade, "d", "deposit"), ref(secondTrade, "d2", "deposit2")},
	}
	for _, p := range o.wallet.Places() {
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: e.Seq}, &e))
	}
	o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: e.TxHash, Height: 500})
	return e.TxHash
}

func (o *older) second(t *testing.T) {
	t.Helper()
	o.deposit(t)
	o.exec(t, `INSERT INTO trades SELECT (jsonb_populate_record(t, jsonb_build_object('id', $1::text, 'id_provider', 'sw_000000000000000000000002', 'deposit_address', 'deposit2'))).* FROM trades t`, secondTrade)
}

// TestAcceptedBatchTakesOverWhatIsOwed: a batch was abandoned and mined after all. A
// confirmed transaction has paid one of its deposits again, or that deposit was not
// seen. An operator accepts that, and the other deposit is never paid again.
func TestAcceptedBatchTakesOverWhatIsOwed(t *testing.T) {
	t.Parallel()
	for name, seen := range map[string]bool{"one paid anew": true, "one never seen": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOlder(t)
			o.second(t)
			o.made(t, 1, "tx 1", "abandoned", paidTrade)
			o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at)
				SELECT trade_id, id, 'refund', 'l', 1, now() FROM trade_deposits`)
			why := "not seen yet"
			if seen {
				why = "look at both"
				o.exec(t, `INSERT INTO received_payments (trade_id, wallet_id, tx_hash, address, subaddress_index, outputs, amount, first_seen_at) VALUES ($1, 'x', 'd2', 'deposit2', 1, 1, 100000000, now())`, secondTrade)
				o.made(t, 2, "tx 2", "confirmed", secondTrade)
				o.exec(t, `INSERT INTO trade_payments (trade_id, deposit_id, kind, wallet_id, amount, created_at, transaction_id, paid, fee)
					SELECT trade_id, id, 'refund', 'l', 1, now(), 2, 1, 0 FROM trade_deposits WHERE tx_hash = 'd2'`)
			}
			batch := o.batch(t)
			require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
			for range 2 {
				done, err := o.recoverer().Apply(t.Context(), "l")
				require.NoError(t, err)
				require.False(t, done.Ended)
				require.Equal(t, map[string]string{batch: witness.Undecided}, outcomes(done))
				require.Contains(t, done.Sends[0].Why, why)
				require.Contains(t, done.Sends[0].Why, secondTrade)
				require.Equal(t, "planned", o.payment(t, paidTrade).State, "nothing is written before it is accepted")
			}
			done, err := o.recoverer(batch).Apply(t.Context(), "l")
			require.NoError(t, err)
			require.True(t, done.Ended)
			require.Equal(t, map[string]string{batch: witness.Recorded}, outcomes(done))
			require.Equal(t, batch, *o.payment(t, paidTrade).TxHash, "it has paid this one")
			if seen {
				require.Equal(t, "tx 2", *o.payment(t, secondTrade).TxHash)
			} else {
				require.Equal(t, []string{"d2"}, o.awaited(t, batch), "it is paid once it is seen")
			}
			alerted, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "send_unmatched", Subject: batch})
			require.NoError(t, err)
			require.True(t, alerted)
			require.NoError(t, o.keeper.Compare(t.Context(), "l"))
		})
	}
}

// awaited returns the deposits that a transaction has answered and that were not seen.
func (o *older) awaited(t *testing.T, txHash string) []string {
	t.Helper()
	rows, err := o.store.Pool().Query(t.Context(), `SELECT u.tx_hash FROM unseen_deposits u JOIN outgoing_transactions x ON x.id = u.transaction_id
		WHERE x.tx_hash = $1`, txHash)
	require.NoError(t, err)
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return list
}

// meddling is a place that calls do once, while a wallet is leaving safe mode.
type meddling struct {
	*witnesstest.Memory

	do func()
}

func (m *meddling) Raise(ctx context.Context, to witness.Mark, e *witness.Entry) error {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Memory.Raise(ctx, to, e)
}

// TestRecoverEndsOnlyTheSafeModeThatItSaw: during a recovery another one ends safe
// mode, and the wallet enters it again for another reason.
func TestRecoverEndsOnlyTheSafeModeThatItSaw(t *testing.T) {
	t.Parallel()
	o := openOlder(t)
	o.accepted(t, "other", 9)
	require.NoError(t, o.wallet.File.Raise(t.Context(), witness.Mark{Sends: 5}, nil))
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	place := &meddling{Memory: o.wallet.File.(*witnesstest.Memory)}
	place.do = func() {
		done, err := o.recoverer().Apply(t.Context(), "l")
		require.NoError(t, err)
		require.True(t, done.Ended)
		o.wallet.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: "by hand", Height: 600})
		require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	}
	o.keeper.Wallets["l"] = witness.Wallet{File: place, Temporal: o.wallet.Temporal, Chain: o.wallet.Chain}
	done, err := o.recoverer().Apply(t.Context(), "l")
	require.NoError(t, err)
	require.False(t, done.Ended)
	require.ErrorIs(t, o.keeper.Compare(t.Context(), "l"), witness.ErrSafeMode)
	alerted, err := o.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "safe_mode", Subject: "l"})
	require.NoError(t, err)
	require.True(t, alerted)
}
