package utxowallet_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/utxo"
)

// hash returns a transaction hash made of one letter.
func hash(letter string) string { return strings.Repeat(letter, 64) }

func coin(letter string, output uint32) utxo.Coin {
	return utxo.Coin{TxHash: hash(letter), Output: output}
}

// place is where a ledger has a transaction.
type place int

const (
	nowhere place = iota
	pool
	block
)

// record is one transaction of a ledger. If kept is set, every output belongs to the
// wallet.
type record struct {
	at      place
	inputs  []utxo.Coin
	outputs []utxo.Amount
	// kept reports whether the wallet has its bytes. conflicted reports whether the wallet
	// remembers a block with another transaction that spends the same coins.
	kept, conflicted bool
}

// ledger simulates a daemon and its wallet, as far as coins are concerned. Every block
// is five deep.
type ledger struct {
	mu     sync.Mutex
	txs    map[string]*record
	locked []utxo.Coin
	// listed are the options of every request for a list of coins.
	listed []any
	// keys are the numbers of keys that each call asked for. The wallet watches the
	// addresses "1" to the last number.
	keys []int
}

func (l *ledger) set(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *ledger) wallet(t *testing.T) *utxowallet.Wallet {
	t.Helper()
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	client, err := utxo.New(utxo.Endpoint{URL: server.URL, Login: "a:b"}, utxo.Options{})
	require.NoError(t, err)
	t.Cleanup(client.Close)
	return utxowallet.New(client, 0)
}

type request struct {
	ID     any               `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (l *ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	answer := func(in request) map[string]any {
		result, failed := l.answer(in)
		return map[string]any{"id": in.ID, "result": result, "error": failed}
	}
	if bytes.HasPrefix(body, []byte("[")) {
		var batch []request
		_ = json.Unmarshal(body, &batch)
		answers := make([]map[string]any, len(batch))
		for i, in := range batch {
			answers[i] = answer(in)
		}
		_ = json.NewEncoder(w).Encode(answers)
		return
	}
	var in request
	_ = json.Unmarshal(body, &in)
	_ = json.NewEncoder(w).Encode(answer(in))
}

// read decodes the parameters.
func (in request) read(into ...any) {
	for i, v := range into {
		if i < len(in.Params) {
			_ = json.Unmarshal(in.Params[i], v)
		}
	}
}

var unknown = &failure{-5, "no such transaction"}

func (l *ledger) answer(in request) (any, *failure) {
	switch in.Method {
	case "getblockchaininfo":
		return map[string]any{"chain": "main", "blocks": 9, "headers": 9, "bestblockhash": "top"}, nil
	case "getindexinfo":
		return map[string]any{"txindex": map[string]any{"synced": true, "best_block_height": 9}}, nil
	case "getwalletinfo":
		return map[string]any{"scanning": false}, nil
	case "getblockheader":
		return map[string]any{"height": 5}, nil
	case "getrawtransaction":
		return l.located(in)
	case "gettransaction":
		return l.keptBy(in)
	case "gettxout":
		return l.unspent(in)
	case "listunspent":
		return l.list(in), nil
	case "getbalance":
		return l.sum(), nil
	case "getbalances":
		return map[string]any{"mine": map[string]any{"trusted": l.sum(), "untrusted_pending": 0, "immature": 0}}, nil
	case "keypoolrefill":
		var n int
		in.read(&n)
		l.keys = append(l.keys, n)
		return nil, nil
	case "getaddressinfo":
		var address string
		in.read(&address)
		number, _ := strconv.Atoi(address)
		return map[string]any{"ismine": len(l.keys) > 0 && number <= l.keys[len(l.keys)-1]}, nil
	case "lockunspent":
		return l.lock(in)
	case "listlockunspent":
		return slices.Concat([]utxo.Coin{}, l.locked), nil
	default:
		return built(in)
	}
}

// spent reports whether a transaction that counts spends the coin.
func (l *ledger) spent(c utxo.Coin, counts func(*record) bool) bool {
	for _, tx := range l.txs {
		if counts(tx) && slices.Contains(tx.inputs, c) {
			return true
		}
	}
	return false
}

func (l *ledger) located(in request) (any, *failure) {
	var txHash string
	in.read(&txHash)
	tx := l.txs[txHash]
	switch {
	case tx == nil || tx.at == nowhere:
		return nil, unknown
	case tx.at == pool:
		return map[string]any{"txid": txHash, "vin": tx.inputs, "vout": []any{}}, nil
	}
	return map[string]any{"txid": txHash, "vin": tx.inputs, "vout": []any{}, "confirmations": 5, "blockhash": "b"}, nil
}

func (l *ledger) keptBy(in request) (any, *failure) {
	var txHash string
	in.read(&txHash)
	tx := l.txs[txHash]
	if tx == nil || !tx.kept {
		return nil, unknown
	}
	confirmations := map[place]int{block: 5}[tx.at]
	if tx.conflicted {
		confirmations = -5
	}
	var details []any
	for n, amount := range tx.outputs {
		details = append(details, map[string]any{"category": "receive", "address": "here", "amount": amount, "vout": n})
	}
	return map[string]any{"txid": txHash, "confirmations": confirmations, "details": details, "hex": rawOf(txHash, tx.inputs, nil)}, nil
}

func (l *ledger) unspent(in request) (any, *failure) {
	var c utxo.Coin
	var withPool bool
	in.read(&c.TxHash, &c.Output, &withPool)
	counts := func(tx *record) bool { return tx.at == block || (withPool && tx.at == pool) }
	tx := l.txs[c.TxHash]
	if tx == nil || !counts(tx) || l.spent(c, counts) {
		return nil, nil
	}
	return map[string]any{"value": tx.outputs[c.Output], "confirmations": map[place]int{block: 5}[tx.at]}, nil
}

// held returns the coins in blocks that no transaction known to the wallet spends.
func (l *ledger) held() (list []utxo.Unspent) {
	for txHash, tx := range l.txs {
		for n, amount := range tx.outputs {
			c := utxo.Coin{TxHash: txHash, Output: uint32(n)}
			if tx.kept && tx.at == block && !l.spent(c, func(tx *record) bool { return tx.kept || tx.at != nowhere }) {
				list = append(list, utxo.Unspent{Coin: c, Amount: amount, Confirmations: 5, Spendable: true})
			}
		}
	}
	return list
}

func (l *ledger) sum() (sum utxo.Amount) {
	for _, c := range l.held() {
		sum += c.Amount
	}
	return sum
}

func (l *ledger) list(in request) []utxo.Unspent {
	var options struct {
		Least utxo.Amount `json:"minimumAmount"`
	}
	in.read(nil, nil, nil, nil, &options)
	l.listed = append(l.listed, options.Least)
	return slices.DeleteFunc(l.held(), func(c utxo.Unspent) bool { return c.Amount < options.Least || slices.Contains(l.locked, c.Coin) })
}

func (l *ledger) lock(in request) (any, *failure) {
	var free bool
	var coins []utxo.Coin
	in.read(&free, &coins)
	if free {
		l.locked = slices.DeleteFunc(l.locked, func(c utxo.Coin) bool { return coins == nil || slices.Contains(coins, c) })
		return true, nil
	}
	for _, c := range coins {
		if slices.Contains(l.locked, c) || !slices.ContainsFunc(l.held(), func(u utxo.Unspent) bool { return u.Coin == c }) {
			return nil, &failure{-8, "Invalid parameter, expected unspent output"}
		}
		l.locked = append(l.locked, c)
	}
	return true, nil
}

// rawOf returns bytes that decoderawtransaction reads.
func rawOf(txHash string, inputs []utxo.Coin, outputs []any) string {
	text, _ := json.Marshal(map[string]any{"txid": txHash, "vin": inputs, "vout": outputs})
	return hex.EncodeToString(text)
}

// built answers the calls that make a payment. It costs 1,000 satoshi, which the first
// payee bears.
func built(in request) (any, *failure) {
	switch in.Method {
	case "validateaddress":
		return map[string]any{"isvalid": true, "scriptPubKey": "0014"}, nil
	case "estimatesmartfee":
		return map[string]any{"feerate": utxo.Amount(10_000)}, nil
	case "getmempoolinfo":
		return map[string]any{"mempoolminfee": utxo.Amount(1_000), "minrelaytxfee": utxo.Amount(1_000)}, nil
	case "createrawtransaction":
		var coins []utxo.Coin
		var payees []map[string]utxo.Amount
		in.read(&coins, &payees)
		var outputs []any
		for _, payee := range payees {
			for _, amount := range payee {
				outputs = append(outputs, map[string]any{"value": amount - 1_000, "scriptPubKey": map[string]any{"hex": "0014"}})
			}
		}
		return rawOf(hash("f"), coins, outputs), nil
	case "testmempoolaccept":
		return []any{map[string]any{"allowed": true}}, nil
	}
	var draft string
	in.read(&draft)
	switch in.Method {
	case "fundrawtransaction":
		return map[string]any{"hex": draft, "fee": utxo.Amount(1_000)}, nil
	case "signrawtransactionwithwallet":
		return map[string]any{"hex": draft, "complete": true}, nil
	case "decoderawtransaction":
		text, _ := hex.DecodeString(draft)
		return json.RawMessage(text), nil
	}
	return nil, &failure{-32601, "Method not found"}
}
