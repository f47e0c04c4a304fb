package merchant_test

import (
	"sync"
	"testing"
	"time"

	"github.com/durapay/durapay/internal/config"
)

func TestYY(t *testing.T) {
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	pool := b.store.Pool()
	run := func(name, sql string) {
		for range 2 {
			begun := time.Now()
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 1000 {
						rows, err := pool.Query(t.Context(), sql, id)
						if err != nil {
							t.Error(err)
							return
						}
						for rows.Next() {
						}
						if rows.Err() != nil {
							t.Error(rows.Err())
							return
						}
						rows.Close()
					}
				})
			}
			wg.Wait()
			t.Logf("%-10s %.1f us", name, float64(time.Since(begun).Microseconds())/8000)
		}
	}
	run("bare", "SELECT status, metadata FROM charges WHERE id = $1")
	run("star", "SELECT * FROM charges WHERE id = $1")
	run("join", "SELECT c.*, w.chain_height FROM charges c JOIN wallets w ON w.id = c.wallet_id WHERE c.id = $1")
	run("func", "SELECT c.*, w.chain_height, charge_payments(c.id) FROM charges c JOIN wallets w ON w.id = c.wallet_id WHERE c.id = $1")
	run("inline", `SELECT c.*, w.chain_height, (SELECT COALESCE(json_agg(json_build_object(
        'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature_height', t.mature_height,
        'unlock_at', t.unlock_at, 'first_seen_at', t.first_seen_at) ORDER BY t.id), '[]')
    FROM transfers t WHERE t.charge_id = c.id AND t.vanished_at IS NULL) FROM charges c JOIN wallets w ON w.id = c.wallet_id WHERE c.id = $1`)
	run("left", `SELECT c.*, w.chain_height, t.tx_hash, t.amount, t.height FROM charges c JOIN wallets w ON w.id = c.wallet_id LEFT JOIN transfers t ON t.charge_id = c.id AND t.vanished_at IS NULL WHERE c.id = $1 ORDER BY t.id`)
}
