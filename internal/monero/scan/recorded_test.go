package scan

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// recorded is a part of a private chain, as a daemon serves it, with the outputs that
// monero-wallet-rpc showed.
type recorded struct {
	Primary, View string
	// First is the height of the first block.
	First  uint64
	Blocks []recordedBlock
	Txs    map[string]monero.TxBytes
	Shown  []owned
	// pool are the hashes of the transactions in the pool.
	pool []string
}

type recordedBlock struct{ Hash, Blob string }

const recordedFile = "testdata/chain.json"

// record mines transfers and odd rewards, and writes their blocks. SCAN_RECORD asks for it.
func (c *chain) record(t *testing.T) {
	t.Helper()
	catchUp(t, c.customer, c.daemon)
	for range 3 {
		require.True(t, c.transfer(t, c.customer))
	}
	r := recorded{Primary: c.recipient.view.Primary().String(), View: c.viewKey, First: c.height(t), Txs: map[string]monero.TxBytes{}}
	c.refill(t, 9)
	c.compare(t)
	r.Shown = slices.DeleteFunc(c.shownOutputs(t), func(o owned) bool { return o.Height < r.First })
	for _, b := range c.scanned[r.First:] {
		hash, blob, err := c.daemon.BlockBytes(t.Context(), b.Height)
		require.NoError(t, err)
		r.Blocks = append(r.Blocks, recordedBlock{hash, blob})
		var hashes []string
		for _, tx := range b.Txs {
			hashes = append(hashes, tx.String())
		}
		txs, err := c.daemon.TxBytes(t.Context(), hashes)
		require.NoError(t, err)
		maps.Copy(r.Txs, txs)
	}
	text, err := json.MarshalIndent(r, "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(recordedFile, append(text, '\n'), 0o600))
}

func loadRecorded(tb testing.TB) *recorded {
	tb.Helper()
	text, err := os.ReadFile(recordedFile)
	require.NoError(tb, err)
	r := &recorded{}
	require.NoError(tb, json.Unmarshal(text, r))
	return r
}

// last is the height of the last block.
func (r *recorded) last() uint64 { return r.First + uint64(len(r.Blocks)) - 1 }

// recipient returns the wallet that received.
func (r *recorded) recipient(t *testing.T) *recipient {
	t.Helper()
	view, err := monero.NewDeriver(r.Primary, r.View)
	require.NoError(t, err)
	w := &recipient{view: view, known: map[Key]monero.Subaddress{}}
	for index := range uint32(lastIndex + 1) {
		w.know(t, 0, index)
	}
	return w
}

// scanner returns a scanner of a daemon that serves the recording, as it is now.
func (r *recorded) scanner(t *testing.T) *Scanner {
	t.Helper()
	w := r.recipient(t)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	daemon := monero.NewDaemon(monero.Endpoint{URL: server.URL}, jsonrpc.Options{CallTimeout: maxWait})
	t.Cleanup(daemon.Close)
	return NewScanner(daemon, w.view, w.lookup)
}

// ServeHTTP answers the calls that the scanner makes.
func (r *recorded) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Params struct {
			Height uint64 `json:"height"`
		} `json:"params"`
		Hashes []string `json:"txs_hashes"`
		Prune  bool     `json:"prune"`
	}
	_ = json.NewDecoder(req.Body).Decode(&body)
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
