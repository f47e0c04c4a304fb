// Package scantest is a daemon for tests: it serves payments whose secret keys are known.
package scantest

import (
	_ "embed" // for the payments
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// Payment is a transaction.
type Payment struct {
	Hash string `json:"hash"`
	// Key is as a wallet's get_tx_key shows it.
	Key          string `json:"key"`
	Pruned       string `json:"pruned"`
	PrunableHash string `json:"prunable_hash"`
}

// Payments are transactions by their names, most to one address. The tests of package scan make
// them.
type Payments struct {
	// Address is a subaddress. Paid and Again pay it 0.01 XMR, Both pays that twice, Less pays
	// 0.009 XMR, Locked pays it locked. Elsewhere pays the wallet's primary address. SameKey has
	// the one-time key of Paid.
	Address   string  `json:"address"`
	Paid      Payment `json:"paid"`
	Again     Payment `json:"again"`
	Both      Payment `json:"both"`
	Less      Payment `json:"less"`
	Locked    Payment `json:"locked"`
	Elsewhere Payment `json:"elsewhere"`
	SameKey   Payment `json:"same_key"`
}

// File has the payments as JSON.
//
//go:embed payments.json
var File []byte

// Daemon has the payments where a test puts them. At first it has none.
type Daemon struct {
	Payments

	URL    string
	mu     sync.Mutex
	places map[string]int64
	height int64
	away   bool
	spent  bool
}

// pool is the height of a transaction in the pool.
const pool = 0

// NewDaemon starts a daemon with a chain of 1,000 blocks. It ends with the test.
func NewDaemon(tb testing.TB) *Daemon {
	tb.Helper()
	d := &Daemon{places: map[string]int64{}, height: 1000}
	require.NoError(tb, json.Unmarshal(File, &d.Payments))
	server := httptest.NewServer(d)
	tb.Cleanup(server.Close)
	d.URL = server.URL
	return d
}

// Client returns a client of the daemon.
func (d *Daemon) Client(tb testing.TB) *monero.Daemon {
	tb.Helper()
	client := monero.NewDaemon(monero.Endpoint{URL: d.URL}, jsonrpc.Options{})
	tb.Cleanup(client.Close)
	return client
}

// Pool puts transactions into the pool.
func (d *Daemon) Pool(list ...Payment) { d.put(pool, list) }

// Mine puts transactions into the block at a height.
func (d *Daemon) Mine(height int64, list ...Payment) { d.put(height, list) }

func (d *Daemon) put(height int64, list []Payment) {
	d.set(func() {
		for _, p := range list {
			d.places[p.Hash] = height
		}
	})
}

// Drop removes transactions from the chain and the pool.
func (d *Daemon) Drop(list ...Payment) {
	d.set(func() {
		for _, p := range list {
			delete(d.places, p.Hash)
		}
	})
}

// Grow makes the chain so many blocks long.
func (d *Daemon) Grow(height int64) { d.set(func() { d.height = height }) }

// Away has the daemon answer nothing, or answer again.
func (d *Daemon) Away(is bool) { d.set(func() { d.away = is }) }

// Spend has blocks spend what the transactions in the pool spend.
func (d *Daemon) Spend(is bool) { d.set(func() { d.spent = is }) }

func (d *Daemon) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// ServeHTTP answers the calls that concern transactions.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var params struct {
		Hashes []string `json:"txs_hashes"`
		Images []string `json:"key_images"`
	}
	_ = json.NewDecoder(r.Body).Decode(&params)
	answer := map[string]any{"status": "OK"}
	switch {
	case d.away:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.URL.Path == "/get_transactions":
		txs := []any{}
		for _, hash := range params.Hashes {
			if tx := d.tx(hash); tx != nil {
				txs = append(txs, tx)
			}
		}
		answer["txs"] = txs
	case r.URL.Path == "/is_key_image_spent":
		states := make([]int, len(params.Images))
		for i := range states {
			if states[i] = int(monero.SpentInPool); d.spent {
				states[i] = int(monero.SpentInChain)
			}
		}
		answer["spent_status"] = states
	default:
		answer = map[string]any{"jsonrpc": "2.0", "id": "0", "result": map[string]any{"status": "OK", "height": d.height, "target_height": 0, "synchronized": true}}
	}
	_ = json.NewEncoder(w).Encode(answer) //nolint:errchkjson // maps of plain values
}

func (d *Daemon) tx(hash string) map[string]any {
	height, known := d.places[hash]
	for _, p := range []Payment{d.Paid, d.Again, d.Both, d.Less, d.Locked, d.Elsewhere, d.SameKey} {
		if known && p.Hash == hash {
			return map[string]any{"tx_hash": hash, "pruned_as_hex": p.Pruned, "prunable_hash": p.PrunableHash, "in_pool": height == pool, "block_height": height}
		}
	}
	return nil
}
