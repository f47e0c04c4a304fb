package xmrwallet

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
)

// node is a daemon that serves three blocks. The second has two transactions: the first pays the
// configured wallet, the second a shop.
type node struct {
	blocks []map[string]any
	txs    map[string]map[string]any
	// lie changes an answer's bytes on the way.
	lie func(path string, answer []byte) []byte
}

func number(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// output pays an amount in clear to an address of a wallet. It returns the output and the
// transaction's extra.
func output(view *monero.Deriver, account, index uint32, amount uint64, name string) (out, extra []byte) {
	point := new(edwards25519.Point).ScalarBaseMult(monero.ToScalar(monero.Keccak([]byte(name))))
	shared := view.SharedSecret(point)
	spend := view.SpendKey(account, index)
	key, err := monero.ParsePoint(spend[:])
	if err != nil {
		panic(err)
	}
	key.Add(key, new(edwards25519.Point).ScalarBaseMult(monero.ToScalar(monero.Keccak(shared[:], number(0)))))
	return slices.Concat(number(amount), []byte{2}, key.Bytes()), slices.Concat([]byte{33, 1}, point.Bytes())
}

// newNode makes a chain that begins at a height.
func newNode(t *testing.T, first uint64, live, shop *monero.Deriver) *node {
	t.Helper()
	n, previous := &node{txs: map[string]map[string]any{}}, scan.Hash{}
	for height := first; height < first+3; height++ {
		out, extra := output(live, 0, 2, 600, "reward "+strconv.FormatUint(height, 10))
		reward := slices.Concat(number(2), number(0), []byte{1, 0xff}, number(height), []byte{1}, out, extra, []byte{0})
		raw := slices.Concat(number(16), number(16), number(1_790_000_000), previous[:], make([]byte, 4), reward)
		var hashes []byte
		if height == first+1 {
			for i, view := range []*monero.Deriver{live, shop} {
				out, extra := output(view, uint32(10*i), 5, 1000, "payment")
				tx := slices.Concat([]byte{1, 0, 1, 2, 0, 2, 7, 9}, make([]byte, 32), []byte{1}, out, extra, []byte("signatures"))
				parsed, err := scan.ParseTx(tx)
				require.NoError(t, err)
				hashes = append(hashes, parsed.Hash[:]...)
				n.txs[parsed.Hash.String()] = map[string]any{"tx_hash": parsed.Hash.String(), "as_hex": hex.EncodeToString(tx), "block_height": height}
			}
		}
		raw = slices.Concat(raw, number(uint64(len(hashes)/32)), hashes)
		block, err := scan.ParseBlock(raw)
		require.NoError(t, err)
		previous = block.Hash
		header := map[string]any{"hash": block.Hash.String()}
		n.blocks = append(n.blocks, map[string]any{"status": "OK", "blob": hex.EncodeToString(raw), "block_header": header})
	}
	return n
}

func (n *node) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body struct {
		Params struct {
			Height uint64 `json:"height"`
		} `json:"params"`
		Hashes []string `json:"txs_hashes"`
	}
	_ = json.NewDecoder(req.Body).Decode(&body)
	answer := map[string]any{"status": "OK"}
	switch req.URL.Path {
	case "/json_rpc":
		answer = map[string]any{"result": n.blocks[body.Params.Height-firstBlock]}
	case "/get_transactions":
		var list []map[string]any
		for _, hash := range body.Hashes {
			if tx, known := n.txs[hash]; known {
				list = append(list, tx)
			}
		}
		answer["txs"] = list
	}
	text, _ := json.Marshal(answer)
	_, _ = w.Write(n.lie(req.URL.Path, text))
}

const firstBlock = 300

// flip changes one bit of hex.
func flip(text any, at int) string {
	raw, _ := hex.DecodeString(text.(string))
	raw[at] ^= 1
	return hex.EncodeToString(raw)
}

// TestADaemonThatLies changes what a daemon serves. The receiver then returns nothing of the
// scan, neither of the configured wallet nor of the shop.
func TestADaemonThatLies(t *testing.T) {
	t.Parallel()
	live, shop := viewOf(t, 1, 1), viewOf(t, 2, 3)
	replace := func(only, by string) func(*node, []string) {
		return func(n *node, _ []string) {
			n.lie = func(path string, answer []byte) []byte {
				if path == only {
					return []byte(by)
				}
				return answer
			}
		}
	}
	for name, test := range map[string]struct {
		lie  func(n *node, txs []string)
		want error
	}{
		"it does not lie":                   {func(*node, []string) {}, nil},
		"a block's bytes are changed":       {func(n *node, _ []string) { n.blocks[1]["blob"] = flip(n.blocks[1]["blob"], 3) }, chain.ErrForm},
		"a block of another height":         {func(n *node, _ []string) { n.blocks[1] = n.blocks[0] }, chain.ErrForm},
		"a block that does not join":        {func(n *node, _ []string) { n.blocks[1] = newNode(t, firstBlock, shop, shop).blocks[1] }, chain.ErrUnavailable},
		"a block of another network":        {func(n *node, _ []string) { n.blocks[2] = newNode(t, firstBlock+1, live, shop).blocks[1] }, chain.ErrUnavailable},
		"a block version of the future":     {func(n *node, _ []string) { n.blocks[1]["blob"] = "11" + n.blocks[1]["blob"].(string)[2:] }, chain.ErrForm},
		"a transaction's bytes are changed": {func(n *node, txs []string) { n.txs[txs[0]]["as_hex"] = flip(n.txs[txs[0]]["as_hex"], 60) }, chain.ErrForm},
		"a transaction that is not in the block": {func(n *node, txs []string) {
			n.txs[txs[0]]["as_hex"] = n.txs[txs[1]]["as_hex"]
		}, chain.ErrForm},
		"a transaction that was not asked for": {func(n *node, txs []string) {
			n.txs[txs[0]] = maps.Clone(n.txs[txs[0]])
			n.txs[txs[0]]["tx_hash"] = hex.EncodeToString(make([]byte, 32))
		}, monero.ErrResponse},
		"a transaction that it does not have": {func(n *node, txs []string) { delete(n.txs, txs[0]) }, chain.ErrUnavailable},
		"half of a block's bytes": {func(n *node, _ []string) {
			n.blocks[1]["blob"] = n.blocks[1]["blob"].(string)[:200]
		}, chain.ErrForm},
		"half an answer": {func(n *node, _ []string) {
			n.lie = func(_ string, answer []byte) []byte { return answer[:len(answer)/2] }
		}, monero.ErrResponse},
		"busy with blocks":       {replace("/json_rpc", `{"error":{"code":-9,"message":"Core is busy"}}`), chain.ErrUnavailable},
		"busy with transactions": {replace("/get_transactions", `{"status":"BUSY"}`), chain.ErrUnavailable},
		"busy with the pool":     {replace("/get_transaction_pool_hashes", `{"status":"BUSY"}`), chain.ErrUnavailable},
	} {
		n := newNode(t, firstBlock, live, shop)
		n.lie = func(_ string, answer []byte) []byte { return answer }
		test.lie(n, slices.Sorted(maps.Keys(n.txs)))
		server := httptest.NewServer(n)
		t.Cleanup(server.Close)
		daemon := monero.NewDaemon(monero.Endpoint{URL: server.URL}, jsonrpc.Options{CallTimeout: time.Minute})
		t.Cleanup(daemon.Close)
		keys := Keys{
			Configured: []Configured{{Wallet: scan.Wallet{ID: "live", View: live}}},
			Own:        &shops{list: []scan.Wallet{{ID: "own", View: shop}}},
		}
		r := NewReceiver(daemon, keys, &store{stored: map[scan.Claim]uint32{{WalletID: "own", SpendKey: shop.SpendKey(10, 5)}: 10<<20 | 5}})
		list, _, err := r.Scan(t.Context(), firstBlock, firstBlock+2)
		if test.want != nil {
			require.ErrorIs(t, err, test.want, name)
			require.Empty(t, list, name)
			continue
		}
		require.NoError(t, err)
		got := map[[2]string]uint64{}
		for _, p := range list {
			got[[2]string{p.WalletID, p.Ref}] += p.Amount
		}
		require.Equal(t, map[[2]string]uint64{{"live", "2"}: 1800, {"live", "5"}: 1000, {"own", "10485765"}: 1000}, got)
	}
}

// TestAStoreThatIsAway: no payment is returned, and none is forgotten.
func TestAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	live, shop := viewOf(t, 1, 1), viewOf(t, 2, 3)
	n := newNode(t, firstBlock, live, shop)
	n.lie = func(_ string, answer []byte) []byte { return answer }
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	daemon := monero.NewDaemon(monero.Endpoint{URL: server.URL}, jsonrpc.Options{CallTimeout: time.Minute})
	t.Cleanup(daemon.Close)
	s, own := &store{}, &shops{}
	keys := Keys{Configured: []Configured{{Wallet: scan.Wallet{ID: "live", View: live}}}, Own: own}
	r := NewReceiver(daemon, keys, s)
	for _, away := range []*error{&s.err, &own.err} {
		*away = errAway
		list, _, err := r.Scan(t.Context(), firstBlock, firstBlock+2)
		require.ErrorIs(t, err, errAway)
		require.NotErrorIs(t, err, chain.ErrForm)
		require.Empty(t, list)
		*away = nil
	}
	list, _, err := r.Scan(t.Context(), firstBlock, firstBlock+2)
	require.NoError(t, err)
	require.Len(t, list, 4)
}
