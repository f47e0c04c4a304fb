package scan

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// served is a chain as a daemon serves it, with the outputs that belong to the wallet.
type served struct {
	Primary, View string
	// First is the height of the first block.
	First  uint64
	Blocks []servedBlock
	Txs    map[string]monero.TxBytes
	Shown  []owned
	// pool are the hashes of the transactions in the pool.
	pool []string

	mu sync.Mutex
	// called counts the calls by path.
	called map[string]int
}

type servedBlock struct{ Hash, Blob string }

// servedChain makes twelve blocks.
func servedChain(tb testing.TB) *served {
	tb.Helper()
	w := newRecipient(tb)
	r := &served{Primary: w.View.Primary().String(), View: hexOf(numbered("view")), First: 300, Txs: map[string]monero.TxBytes{}}
	previous := Hash{}
	for n := range uint64(12) {
		height := r.First + n
		secret := numbered(fmt.Sprint("block ", n))
		to := w.address(tb, 0, uint32(n))
		reward := &made{version: 2, reward: height, unlock: height + 60, extra: extraOf(keyFor(secret, to)), outputs: []madeOutput{pay(secret, to, 0, 600+n, ringNull)}}
		raw := slices.Concat(varint(16), varint(16), varint(1_790_000_000+n), previous[:], make([]byte, nonceLen), reward.whole(), varint(n%4))
		payees := map[*made][]monero.Address{reward: {to}}
		for k := range n % 4 {
			secret, to := numbered(fmt.Sprint("payment ", n, k)), w.address(tb, 0, uint32(k))
			m := payment(secret, 1+n, to, to, w.address(tb, 7, 7))
			tx := m.parse(tb)
			proofs := hashOf(m.proofs)
			raw = append(raw, tx.Hash[:]...)
			r.Txs[tx.Hash.String()] = monero.TxBytes{Pruned: hex.EncodeToString(m.pruned()), PrunableHash: proofs.String()}
			payees[m] = []monero.Address{to, to}
		}
		for m, list := range payees {
			for i, a := range list {
				o := m.outputs[i]
				r.Shown = append(r.Shown, owned{hex.EncodeToString(o.key[:]), m.parse(tb).Hash.String(), w.known[a.Spend].Index, o.amount, height})
			}
		}
		block, err := ParseBlock(raw)
		require.NoError(tb, err)
		previous = block.Hash
		r.Blocks = append(r.Blocks, servedBlock{previous.String(), hex.EncodeToString(raw)})
	}
	sortedOutputs(r.Shown)
	return r
}

// last is the height of the last block.
func (r *served) last() uint64 { return r.First + uint64(len(r.Blocks)) - 1 }

// recipient returns the wallet that received.
func (r *served) recipient(t *testing.T) *recipient {
	t.Helper()
	view, err := monero.NewDeriver(r.Primary, r.View)
	require.NoError(t, err)
	w := &recipient{Wallet: &Wallet{walletID, view}, known: map[Key]monero.Subaddress{}}
	for index := range uint32(lastIndex + 1) {
		w.know(t, 0, index)
	}
	return w
}

// scanner returns a scanner of a daemon that serves the chain, as it is now.
func (r *served) scanner(t *testing.T) *Scanner {
	t.Helper()
	w := r.recipient(t)
	return NewScanner(r.daemon(t), w.wallets, w.lookup, w.record)
}

// scannerOf returns a scanner for these wallets.
func (r *served) scannerOf(tb testing.TB, s *shops) *Scanner {
	tb.Helper()
	return NewScanner(r.daemon(tb), s.wallets, s.lookup, s.record)
}

func (r *served) daemon(tb testing.TB) *monero.Daemon {
	tb.Helper()
	server := httptest.NewServer(r)
	tb.Cleanup(server.Close)
	daemon := monero.NewDaemon(monero.Endpoint{URL: server.URL}, jsonrpc.Options{CallTimeout: maxWait})
	tb.Cleanup(daemon.Close)
	return daemon
}

// serve adds a transaction that the daemon knows.
func (r *served) serve(tb testing.TB, m *made, place monero.TxPlace) Hash {
	tb.Helper()
	tx, err := ParseTx(m.whole())
	require.NoError(tb, err)
	if r.Txs == nil {
		r.Txs = map[string]monero.TxBytes{}
	}
	proofs := hashOf(m.proofs)
	r.Txs[tx.Hash.String()] = monero.TxBytes{Pruned: hex.EncodeToString(m.pruned()), PrunableHash: proofs.String(), TxPlace: place}
	return tx.Hash
}

// wait adds a transaction to the pool.
func (r *served) wait(tb testing.TB, m *made) {
	tb.Helper()
	hash := r.serve(tb, m, monero.TxPlace{InPool: true})
	r.pool = append(r.pool, hash.String())
}

// mine adds a block with these transactions.
func (r *served) mine(tb testing.TB, txs ...*made) {
	tb.Helper()
	height, previous := r.First+uint64(len(r.Blocks)), Hash{}
	if len(r.Blocks) > 0 {
		var err error
		previous, err = ParseHash(r.Blocks[len(r.Blocks)-1].Hash)
		require.NoError(tb, err)
	}
	one, foreign := numbered("miner"), monero.UnspendableAddress(monero.Mainnet)
	reward := &made{version: 2, reward: height, extra: extraOf(keyFor(one, foreign)), outputs: []madeOutput{pay(one, foreign, 0, 600, ringNull)}}
	raw := slices.Concat(varint(16), varint(16), varint(1_790_000_000), previous[:], make([]byte, nonceLen), reward.whole(), varint(uint64(len(txs))))
	for _, m := range txs {
		hash := r.serve(tb, m, monero.TxPlace{Height: height})
		raw = append(raw, hash[:]...)
	}
	block, err := ParseBlock(raw)
	require.NoError(tb, err)
	r.Blocks = append(r.Blocks, servedBlock{block.Hash.String(), hex.EncodeToString(raw)})
}

// calls returns how often a path was called.
func (r *served) calls(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called[path]
}

// ServeHTTP answers the calls that the scanner makes.
func (r *served) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Params struct {
			Height uint64 `json:"height"`
		} `json:"params"`
		Hashes []string `json:"txs_hashes"`
		Prune  bool     `json:"prune"`
	}
	_ = json.NewDecoder(req.Body).Decode(&body)
	r.mu.Lock()
	if r.called == nil {
		r.called = map[string]int{}
	}
	r.called[req.URL.Path]++
	r.mu.Unlock()
	answer := map[string]any{"status": "OK"}
	switch req.URL.Path {
	case "/get_transactions":
		var txs []monero.TxBytes
		for _, hash := range body.Hashes {
			tx, known := r.Txs[hash]
			if body.Prune {
				tx.Whole = ""
			}
			if tx.Hash = hash; known {
				txs = append(txs, tx)
			}
		}
		answer["txs"] = txs
	case "/get_transaction_pool_hashes":
		answer["tx_hashes"] = r.pool
	default:
		if i := body.Params.Height - r.First; i < uint64(len(r.Blocks)) {
			answer["blob"], answer["block_header"] = r.Blocks[i].Blob, map[string]any{"hash": r.Blocks[i].Hash}
			answer = map[string]any{"result": answer}
		} else {
			answer = map[string]any{"error": map[string]any{"code": -2, "message": "too high"}}
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}
