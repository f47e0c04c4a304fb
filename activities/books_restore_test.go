package activities_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// backup is a copy of the database, with what Temporal's journal and the ledger said then.
type backup struct {
	tables  map[string][]byte
	mark    witness.Mark
	entries []witness.Entry
	charges map[string]ledgerCharge
}

// dump copies all tables.
func (b *books) dump(ctx context.Context) map[string][]byte {
	b.t.Helper()
	rows, err := b.base.store.Pool().Query(ctx, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'goose%'")
	require.NoError(b.t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(b.t, err)
	conn, err := b.base.store.Pool().Acquire(ctx)
	require.NoError(b.t, err)
	defer conn.Release()
	tables := map[string][]byte{}
	for _, name := range names {
		var out bytes.Buffer
		_, err := conn.Conn().PgConn().CopyTo(ctx, &out, "COPY "+name+" TO STDOUT (FORMAT binary)")
		require.NoError(b.t, err)
		tables[name] = out.Bytes()
	}
	return tables
}

// load replaces all tables. The table of witnesses is a new one then, as after a dump is loaded.
func (b *books) load(ctx context.Context, tables map[string][]byte) {
	b.t.Helper()
	require.NoError(b.t, pgx.BeginFunc(ctx, b.base.store.Pool(), func(tx pgx.Tx) error {
		names := make([]string, 0, len(tables))
		for name := range tables {
			names = append(names, name)
		}
		if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		for _, statement := range []string{
			"TRUNCATE " + strings.Join(names, ", "),
			"CREATE TABLE another (LIKE witnesses INCLUDING ALL)", "DROP TABLE witnesses", "ALTER TABLE another RENAME TO witnesses",
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		for name, rows := range tables {
			if _, err := tx.Conn().PgConn().CopyFrom(ctx, bytes.NewReader(rows), "COPY "+name+" FROM STDIN (FORMAT binary)"); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}))
}

func (b *books) places() (file, temporal *witnesstest.Memory) {
	w := b.witness.Wallets[b.wallet]
	file, _ = w.File.(*witnesstest.Memory)
	temporal, _ = w.Temporal.(*witnesstest.Memory)
	return file, temporal
}

// backUp copies the database, and Temporal's with it.
func (b *books) backUp(r *rapid.T) {
	ctx := b.t.Context()
	_, temporal := b.places()
	b.saved = &backup{tables: b.dump(ctx), charges: map[string]ledgerCharge{}}
	for id, c := range b.ledger.charges {
		b.saved.charges[id] = *c
	}
	var err error
	b.saved.mark, err = temporal.Read(ctx)
	require.NoError(r, err)
	b.saved.entries, err = temporal.Since(ctx, 0)
	require.NoError(r, err)
}

// restore loads the backup, with the wallet's file or with a new one, and with Temporal's data of the backup or with
// none. Operators recover the wallet by the book.
func (b *books) restore(r *rapid.T) {
	b.restoreWith(r, rapid.Bool().Draw(r, "the wallet's file is lost"), rapid.Bool().Draw(r, "Temporal is lost"))
}

// loseEverything restores the backup, and nothing else.
func (b *books) loseEverything(r *rapid.T) { b.restoreWith(r, true, true) }

func (b *books) restoreWith(r *rapid.T, fileLost, temporalLost bool) {
	if b.saved == nil {
		r.Skip("no backup")
	}
	ctx := b.t.Context()
	b.load(ctx, b.saved.tables)
	file, temporal := b.places()
	temporal.Forget()
	if !temporalLost {
		require.NoError(r, temporal.Raise(ctx, b.saved.mark, nil))
		for _, e := range b.saved.entries {
			require.NoError(r, temporal.Raise(ctx, b.saved.mark, &e))
		}
	}
	if fileLost {
		file.Forget()
		b.chain.loseFile()
	}
	b.forget()
	stands, err := b.witness.Ensure(ctx, b.wallet)
	require.NoError(r, err)
	require.NotEmpty(r, stands.Safe, "a restored database is safe until an operator has looked at it")
	b.scanAll(r)
	b.recover(r)
	b.publish(r)
	b.adopt(r)
	b.spentOnce(r)
}

// payLost has a customer pay a charge that the restored database does not know.
func (b *books) payLost(r *rapid.T) {
	if len(b.lost) == 0 {
		r.Skip("no charge is lost")
	}
	index := pick(r, slices.Sorted(maps.Keys(b.lost)), "address")
	b.pay(r, booksCharge{index: index}, money.OneXMR/50, 0)
}

// requireSeen requires that the database has all payments that blocks hold, also those to charges that it does
// not know.
func (b *books) requireSeen(r *rapid.T) {
	rows, err := b.base.store.Pool().Query(b.t.Context(), "SELECT tx_hash FROM received_payments WHERE wallet_id = $1", b.wallet)
	require.NoError(r, err)
	seen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(r, err)
	for hash := range b.ledger.payments {
		require.True(r, b.chain.depth(hash) == 0 || slices.Contains(seen, hash), "a payment was not seen")
	}
}

// forget removes what the backup does not know.
func (b *books) forget() {
	clear(b.signaled)
	b.made = slices.DeleteFunc(b.made, func(c booksCharge) bool {
		if _, known := b.saved.charges[c.id]; known {
			return false
		}
		b.lost[c.index] = true
		delete(b.ledger.charges, c.id)
		return true
	})
	for id, c := range b.saved.charges {
		b.ledger.charges[id] = &c
	}
	for _, p := range b.ledger.payments {
		p.payout, p.lost = "", false
		if b.ledger.charges[p.charge] == nil {
			p.charge = ""
		}
	}
}

// recover brings the wallet out of safe mode: the operator runs the command, answers what it asks as the books
// were before the loss, relays what the network has lost, and waits for blocks.
func (b *books) recover(r *rapid.T) {
	wallet := b.witness.Wallets[b.wallet]
	pair := b.payouts.Wallets[b.wallet]
	wallet.Chain = &witness.MoneroChain{Wallet: pair.Spend, Daemon: pair.Daemon}
	by := &witness.Recoverer{
		Keeper: &witness.Keeper{Store: b.base.store, Wallets: map[string]witness.Wallet{b.wallet: wallet}, Clock: b.tick, Log: slog.New(slog.DiscardHandler)},
		Actor:  "cli:ann", Paid: map[string]string{}, Seal: b.seal,
		Address: func(m db.Merchant, id string) ([]byte, error) {
			return b.seal(id, b.ledger.shops[m.MerchantID].address)
		},
	}
	var found witness.Recovery
	for range 6 {
		var err error
		found, err = by.Apply(b.t.Context(), b.wallet)
		require.NoError(r, err)
		if found.Ended {
			r.Logf("recovered: %+v", found)
			return
		}
		if found.Missing != "" {
			r.Logf("missing: %s", found.Missing)
			var own int64 // this copy may have handed these out, too
			require.NoError(r, b.base.store.Pool().QueryRow(b.t.Context(), "SELECT addresses FROM witnesses WHERE wallet_id = $1", b.wallet).Scan(&own))
			by.AddressesUpTo = max(own, int64(b.handedOut))
		}
		for _, s := range found.Sends {
			if s.Outcome == witness.Undecided {
				r.Logf("undecided: %+v", s)
				b.answer(r, by, s)
			}
		}
		b.mineAll(11)
		b.scanAll(r)
	}
	r.Fatalf("there is no way out of safe mode: %+v", found.Sends)
}

func (b *books) seal(payoutID, address string) ([]byte, error) {
	return b.base.box.Seal([]byte(address), secret.SweepAddressPlace.Of(payoutID))
}

// answer answers the question about a transaction.
func (b *books) answer(r *rapid.T, by *witness.Recoverer, s witness.RecoveredSend) {
	if s.TxHash == witness.Nameless {
		b.expire(r)
		by.Accept = append(by.Accept, s.TxHash)
		return
	}
	tx := b.chain.txs[s.TxHash]
	switch claim, refund := b.paidClaim(tx); {
	case tx.hand:
		by.Accept = append(by.Accept, s.TxHash)
	case b.knows(r, "refund_claims", claim):
		by.Paid[s.TxHash] = claim
	case strings.Contains(s.Why, "nothing is left"):
		require.NoError(r, b.base.store.Pool().QueryRow(b.t.Context(),
			"SELECT id FROM refund_claims WHERE refund_id = $1 AND status = 'in_progress' ORDER BY id LIMIT 1", refund).Scan(&claim))
		by.Paid[s.TxHash] = claim
	case b.knows(r, "refunds", refund):
		by.Paid[s.TxHash] = refund
	case !b.ofKnown(tx):
		by.Accept = append(by.Accept, s.TxHash)
	default:
		by.Paid[s.TxHash] = witness.PaidMerchant
	}
	if _, mined := b.chain.at[tx.hash]; !mined && !b.chain.offer(tx) {
		by.Accept = append(by.Accept, s.TxHash)
	}
}

// expire lets daemons and wallets forget the bytes of transactions that the network has lost and the database does not
// know. Operators wait for that before they accept transactions of unknown hash.
func (b *books) expire(r *rapid.T) {
	for _, tx := range b.chain.gone() {
		var known bool
		require.NoError(r, b.base.store.Pool().QueryRow(b.t.Context(), "SELECT EXISTS (SELECT 1 FROM payouts WHERE tx_hash = $1)", tx.hash).Scan(&known))
		if tx.service && !known {
			tx.out, tx.refused = false, true
		}
	}
}

// paidClaim returns the claim that a transaction was built for.
func (b *books) paidClaim(tx *booksTx) (claim, refund string) {
	claim = b.builtFor[tx.hash]
	for _, of := range b.promises {
		if slices.Contains(of.claims, claim) {
			return claim, of.id
		}
	}
	return claim, ""
}

// ofKnown reports whether a transaction spends a payment to a charge that the backup knows.
func (b *books) ofKnown(tx *booksTx) bool {
	return slices.ContainsFunc(tx.inputs, func(image string) bool {
		p := b.ledger.payments[b.chain.origin[image].tx]
		return p != nil && p.charge != ""
	})
}

func (b *books) knows(r *rapid.T, table, id string) (known bool) {
	require.NoError(r, b.base.store.Pool().QueryRow(b.t.Context(), "SELECT EXISTS (SELECT 1 FROM "+table+" WHERE id = $1)", id).Scan(&known))
	return known
}

// publish makes new addresses.
func (b *books) publish(r *rapid.T) {
	ctx := b.t.Context()
	stands, err := b.witness.Ensure(ctx, b.wallet)
	require.NoError(r, err)
	require.Empty(r, stands.Safe)
	in := db.PublishAddressesParams{WalletID: b.wallet}
	for i := range int32(booksAddresses) {
		in.Indices = append(in.Indices, int32(stands.From)+i+1)
		in.Addresses = append(in.Addresses, b.deriver.Subaddress(0, uint32(stands.From)+uint32(i)+1))
	}
	b.chain.made = max(b.chain.made, int32(stands.From)+booksAddresses+1)
	require.NoError(r, b.base.store.PublishAddresses(ctx, in))
	require.NoError(r, b.witness.Extend(ctx, b.wallet, stands.From+booksAddresses))
	b.free = booksAddresses
}

// adopt lets the ledger continue from the payouts that the recovered database has. Transactions that it does not
// know stay in the ledger, since blocks may hold them.
func (b *books) adopt(r *rapid.T) {
	ctx, l, before := b.t.Context(), b.ledger, b.ledger.payouts
	rows, err := b.base.store.Pool().Query(ctx, "SELECT id FROM payouts WHERE wallet_id = $1 ORDER BY id", b.wallet)
	require.NoError(r, err)
	b.runs, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(r, err)
	l.payouts = map[string]*ledgerPayout{}
	for _, id := range b.runs {
		row := b.payout(r, id)
		p := &ledgerPayout{shop: row.MerchantID, settles: b.taken(r, id), ended: payout.Status(row.Status) == payout.Failed, forgotten: row.ClaimID == nil}
		if row.TxHash != nil {
			p.tx = *row.TxHash
		}
		if payout.Status(row.Status) == payout.Confirmed {
			p.block = l.chain.at[p.tx]
		}
		l.payouts[id] = p
		for _, hash := range p.settles {
			l.payments[hash].payout = id
		}
	}
	for id, p := range before {
		if now := l.payouts[id]; p.tx != "" && (now == nil || now.tx != p.tx) {
			l.payouts["lost "+p.tx] = &ledgerPayout{shop: p.shop, tx: p.tx, ended: true}
		}
	}
	for _, c := range b.made {
		require.NoError(r, b.base.store.Pool().QueryRow(ctx, "SELECT COALESCE(payout_id, '') FROM charges WHERE id = $1", c.id).Scan(&l.charges[c.id].payout))
	}
	b.claims = slices.DeleteFunc(b.claims, func(id string) bool { return !b.knows(r, "refund_claims", id) })
	b.promises = slices.DeleteFunc(b.promises, func(of *booksRefund) bool { return !b.knows(r, "refunds", of.id) })
	for _, of := range b.promises {
		of.claims = slices.DeleteFunc(of.claims, func(id string) bool { return !slices.Contains(b.claims, id) })
	}
	for hash, p := range l.payments {
		if p.charge == "" {
			continue
		}
		found, err := b.base.store.FindReceivedPayments(ctx, db.FindReceivedPaymentsParams{WalletIds: []string{b.wallet}, TxHashes: []string{hash}})
		require.False(r, err != nil && !postgres.IsNotFound(err))
		p.lost = len(found) > 0 && found[0].SpentElsewhere
	}
	l.look()
}

// spentOnce requires that nothing is owed that a transaction of the service has paid out.
func (b *books) spentOnce(r *rapid.T) {
	for _, hash := range b.chain.order {
		_, mined := b.chain.at[hash]
		if tx := b.chain.txs[hash]; tx.service && (mined || b.chain.pool[hash]) {
			for _, image := range tx.inputs {
				p := b.ledger.payments[b.chain.origin[image].tx]
				if p == nil || p.charge == "" {
					continue
				}
				require.NotEmpty(r, p.payout, "a payment that %s has spent is owed again", hash[:8])
				require.Equal(r, hash, b.ledger.payouts[p.payout].tx, "a payment that %s has spent is another payout's", hash[:8])
			}
		}
	}
}
