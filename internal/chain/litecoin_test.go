package chain_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/utxo"
)

// litecoin is a fixture on litecoind.
type litecoin struct {
	stack    *stack.Stack
	customer *utxo.Client
	// raw makes the calls for which the client has no method.
	raw *jsonrpc.Client
	// bonus is the last fee bonus that a transaction got, in satoshi.
	bonus int64
}

func startLitecoin(t *testing.T) *bench {
	t.Helper()
	s := startStack(t, "litecoin-miner", "litecoind")
	url := s.Env()["LITECOIN_RPC_URL"]
	customer, err := utxo.New(utxo.Endpoint{URL: url}, unhurried())
	require.NoError(t, err)
	t.Cleanup(customer.Close)
	w := &litecoin{stack: s, customer: customer, raw: jsonrpc.New(calls(url), unhurried())}
	b := newBench(t, s, w, coinFacts{
		ticker: "ltc", atomic: uint64(utxo.OneCoin) / 10, origins: true, parts: []string{"litecoind"},
	})
	// As in production, the wallet's keys are encrypted.
	const passphrase = "correct horse battery staple"
	b.config.Daemon.PassphraseFile = filepath.Join(t.TempDir(), "passphrase")
	require.NoError(t, os.WriteFile(b.config.Daemon.PassphraseFile, []byte(passphrase+"\n"), 0o600))
	exchange := strings.Replace(url, "/wallet/customer", "/wallet/"+b.config.Daemon.Wallet, 1)
	keys := jsonrpc.New(calls(exchange), unhurried())
	require.NoError(t, keys.RPC(t.Context(), jsonrpc.Call{Method: "encryptwallet", Params: []any{passphrase}, Long: true}, "", nil))
	b.wallet = b.open(t)
	return b
}

// calls returns a wallet of the daemon, at a URL with its login.
func calls(url string) jsonrpc.Process {
	return jsonrpc.Process{
		Name: "litecoind", URL: url, HTTP: &http.Client{},
		Answers:     func(status int) bool { return status == http.StatusInternalServerError },
		Unavailable: utxo.ErrUnavailable, Login: utxo.ErrLogin, Response: utxo.ErrResponse,
	}
}

func (w *litecoin) call(t *testing.T, method string, out any, params ...any) {
	t.Helper()
	require.NoError(t, w.raw.RPC(t.Context(), jsonrpc.Call{Method: method, Params: params}, "", out), method)
}

func (w *litecoin) customerAddress(t *testing.T) string {
	t.Helper()
	address, err := w.customer.NewAddress(t.Context())
	require.NoError(t, err)
	return address
}

func (w *litecoin) received(t *testing.T, txHash, address string) uint64 {
	t.Helper()
	list, err := w.customer.ReceivedBy(t.Context(), txHash)
	require.NoError(t, err)
	var sum utxo.Amount
	for _, r := range list {
		if r.Address == address {
			sum += r.Amount
		}
	}
	return uint64(sum)
}

func (w *litecoin) pay(t *testing.T, address string, amount uint64) transaction {
	t.Helper()
	tx, _ := w.rivals(t, address, w.customerAddress(t), amount)
	w.send(t, tx)
	return tx
}

func (w *litecoin) rivals(t *testing.T, first, second string, amount uint64) (a, b transaction) {
	t.Helper()
	unspent, err := w.customer.Unspent(t.Context(), 1)
	require.NoError(t, err)
	for _, coin := range unspent {
		if uint64(coin.Amount) <= 2*amount {
			continue
		}
		payTo := func(to string) transaction {
			const fee = 10_000
			outputs := []map[string]utxo.Amount{
				{to: utxo.Amount(amount)}, {w.customerAddress(t): coin.Amount - utxo.Amount(amount) - fee},
			}
			var draft string
			w.call(t, "createrawtransaction", &draft, []utxo.Coin{coin.Coin}, outputs, 0, true)
			var signed struct {
				Hex string `json:"hex"`
			}
			w.call(t, "signrawtransactionwithwallet", &signed, draft)
			tx, err := w.customer.Decode(t.Context(), signed.Hex)
			require.NoError(t, err)
			return transaction{hash: tx.Hash, raw: signed.Hex}
		}
		return payTo(first), payTo(second)
	}
	require.Fail(t, "the customer has no coin left")
	return a, b
}

func (w *litecoin) send(t *testing.T, tx transaction) {
	t.Helper()
	require.NoError(t, w.customer.Send(t.Context(), tx.raw))
}

// mine pays each block to a new address, because the daemon refuses a block
// that is identical to one that was removed from the chain.
func (w *litecoin) mine(t *testing.T, n int) {
	t.Helper()
	_, err := w.customer.Generate(t.Context(), w.customerAddress(t), uint64(n))
	require.NoError(t, err)
	require.NoError(t, w.customer.Flush(t.Context()))
}

func (w *litecoin) pop(t *testing.T, n int) {
	t.Helper()
	info, err := w.customer.Info(t.Context())
	require.NoError(t, err)
	hash, err := w.customer.BlockHash(t.Context(), info.Blocks-uint64(n)+1)
	require.NoError(t, err)
	require.NoError(t, w.customer.Invalidate(t.Context(), hash))
}

// replace sends the rival, which displaces tx from the pool because the daemon
// counts a much higher fee for it.
func (w *litecoin) replace(t *testing.T, _ transaction, rival *transaction) {
	t.Helper()
	w.bonus += 1_000_000
	w.call(t, "prioritisetransaction", nil, rival.hash, 0, w.bonus)
	w.send(t, *rival)
}

// raised makes the customer's wallet raise the fee of its payment.
func (w *litecoin) raised(t *testing.T, address string, amount uint64) (first, second transaction) {
	t.Helper()
	w.call(t, "sendtoaddress", &first.hash, address, utxo.Amount(amount), "", "", false, true)
	var bumped struct {
		Hash string `json:"txid"`
	}
	w.call(t, "bumpfee", &bumped, first.hash)
	require.NotEqual(t, first.hash, bumped.Hash)
	return first, transaction{hash: bumped.Hash}
}

// lock makes a block pay its reward to the address. It matures after 100
// blocks.
func (w *litecoin) lock(t *testing.T, address string, _ uint64) transaction {
	t.Helper()
	blocks, err := w.customer.Generate(t.Context(), address, 1)
	require.NoError(t, err)
	var block struct {
		Hashes []string `json:"tx"`
	}
	w.call(t, "getblock", &block, blocks[0])
	return transaction{hash: block.Hashes[0]}
}

// mineWithout makes the daemon count the transaction's fee as negative while it
// mines.
func (w *litecoin) mineWithout(t *testing.T, tx transaction, n int) {
	t.Helper()
	const fee = 100_000_000
	w.call(t, "prioritisetransaction", nil, tx.hash, 0, -fee)
	w.mine(t, n)
	w.call(t, "prioritisetransaction", nil, tx.hash, 0, fee)
}
