package scan

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// lastIndex is the last subaddress that is paid to. It is within the wallet's look-ahead.
const lastIndex = 150

// chain is a private chain with a customer, and with a wallet that receives. That wallet is
// open twice: view-only as the oracle, and with the spend key to make change.
type chain struct {
	daemon                  *monero.Daemon
	url                     string
	oracle, customer, spend string
	recipient               *recipient
	scanner                 *Scanner
	random                  *rand.Rand
	customerAddress         string
	outputs, forks, mining  int
	// scanned is what a caller keeps: every block from 0 on, with the outputs found.
	scanned []Scanned
}

// chainStart is the number of blocks that are mined first, so that the customer has money
// and wallets find decoys. Wallets find none among many rewards that are still locked.
const chainStart = 110

func startChain(t *testing.T, seed uint64) *chain {
	t.Helper()
	options := jsonrpc.Options{CallTimeout: maxWait, LongTimeout: maxWait}
	name := strconv.FormatUint(seed, 10)
	customer, receiver := keys{numbered("a" + name), numbered("b" + name)}, keys{numbered("c" + name), numbered("d" + name)}
	c := &chain{url: startDaemon(t), random: rand.New(rand.NewPCG(seed, seed))}
	c.daemon = monero.NewDaemon(monero.Endpoint{URL: c.url}, options)
	c.customerAddress = customer.primary().String()
	c.mine(t, c.customerAddress, chainStart)
	c.oracle = startWallet(t, c.url, receiver, true)
	c.customer = startWallet(t, c.url, customer, false)
	c.spend = startWallet(t, c.url, receiver, false)
	deriver, err := monero.NewDeriver(receiver.primary().String(), hexOf(receiver.view))
	require.NoError(t, err)
	c.recipient = &recipient{Wallet: &Wallet{walletID, deriver}, known: map[Key]monero.Subaddress{}}
	for index := range uint32(lastIndex + 1) {
		c.recipient.know(t, 0, index)
	}
	c.scanner = NewScanner(c.daemon, c.recipient.wallets, c.recipient.lookup, c.recipient.record)
	return c
}

// call makes calls for which the clients have no method.
func call(t *testing.T, url, method string, params, out any) {
	t.Helper()
	require.NoError(t, ask(t, url, method, params, out), method)
}

func ask(tb testing.TB, url, method string, params, out any) error {
	tb.Helper()
	client := jsonrpc.New(jsonrpc.Process{
		Name: method, URL: url, HTTP: &http.Client{},
		Unavailable: monero.ErrUnavailable, Login: monero.ErrLogin, Response: monero.ErrResponse,
	}, jsonrpc.Options{CallTimeout: maxWait})
	return client.RPC(tb.Context(), jsonrpc.Call{Method: method, Params: params}, "/json_rpc", out)
}

func (c *chain) height(t *testing.T) uint64 {
	t.Helper()
	info, err := c.daemon.Info(t.Context())
	require.NoError(t, err)
	return info.Height
}

// address returns an address of the wallet at random.
func (c *chain) address(t *testing.T) monero.Address {
	t.Helper()
	index := uint32(c.random.IntN(lastIndex + 1))
	if c.random.IntN(4) == 0 {
		index %= 3 // so that some are paid often, the primary one too
	}
	a := c.recipient.address(t, 0, index)
	if index == 0 && c.random.IntN(2) == 0 {
		a.Kind = monero.KindIntegrated
		a.PaymentID = [8]byte{byte(c.random.Uint32()), 1}
	}
	return a
}

// transfer has a wallet pay to 1 to 15 addresses, some of them the same. It reports whether
// the wallet had the money.
func (c *chain) transfer(t *testing.T, from string) bool {
	t.Helper()
	to := make([]monero.Destination, 1+c.random.IntN(15))
	integrated := false
	for i := range to {
		a := c.address(t)
		if a.Kind == monero.KindIntegrated && integrated {
			a = c.recipient.address(t, 0, 0) // a transaction has one payment id
		}
		integrated = integrated || a.Kind == monero.KindIntegrated
		to[i] = monero.Destination{Address: a.String(), Amount: money.Piconero(1 + c.random.Uint64N(uint64(money.OneXMR)/100))}
		if i > 0 && c.random.IntN(3) == 0 {
			to[i].Address = to[i-1].Address
		}
	}
	if slices.ContainsFunc(to, func(d monero.Destination) bool { return len(d.Address) > 95 }) {
		to = to[:1] // Monero's wallet does not mix integrated addresses with subaddresses
	}
	sources := make([]uint32, 0, lastIndex+1)
	for index := range uint32(lastIndex + 1) {
		sources = append(sources, index)
	}
	if from == c.customer {
		sources = sources[:1]
	}
	// The wallet relays by itself, because it else spends the same outputs again.
	var destinations []map[string]any
	for _, d := range to {
		destinations = append(destinations, map[string]any{"address": d.Address, "amount": uint64(d.Amount)})
	}
	if err := ask(t, from, "transfer", map[string]any{"destinations": destinations, "account_index": 0, "subaddr_indices": sources}, nil); err != nil {
		t.Logf("no transfer to %d: %v", len(to), err)
		return false
	}
	c.outputs += len(to)
	return true
}

// mine mines blocks that pay an address.
func (c *chain) mine(t *testing.T, address string, blocks int) {
	t.Helper()
	_, err := c.daemon.GenerateBlocks(t.Context(), address, uint64(blocks))
	require.NoError(t, err)
	c.mining += blocks
}

// submit mines one block whose reward is divided in a way that no miner does. change gets
// the reward's amount.
func (c *chain) submit(t *testing.T, divide func(height, amount uint64) *made) *Block {
	t.Helper()
	var template struct {
		Blob   string `json:"blocktemplate_blob"`
		Height uint64 `json:"height"`
	}
	call(t, c.url, "get_block_template", map[string]any{"wallet_address": c.customerAddress, "reserve_size": 0}, &template)
	raw, err := hex.DecodeString(template.Blob)
	require.NoError(t, err)
	block, err := ParseBlock(raw)
	require.NoError(t, err)
	tx, at := rewardBytes(t, raw, block)
	m := divide(template.Height, block.Reward.Outputs[0].Amount)
	m.version, m.reward, m.kind, m.unlock, m.proofs = 2, template.Height, ringNull, template.Height+60, nil
	raw = slices.Concat(raw[:at], m.whole(), raw[at+len(tx):])
	block, err = ParseBlock(raw)
	require.NoError(t, err)
	call(t, c.url, "submit_block", []string{hex.EncodeToString(raw)}, nil)
	claimed, blob, err := c.daemon.BlockBytes(t.Context(), template.Height)
	require.NoError(t, err)
	require.Equal(t, claimed, block.Hash.String(), "the daemon hashes as we do")
	require.Equal(t, blob, hex.EncodeToString(raw))
	c.outputs += len(m.outputs)
	c.mining++
	return block
}

// rewardBytes returns the bytes of a block's reward, and where they begin.
func rewardBytes(t *testing.T, raw []byte, block *Block) (tx []byte, at int) {
	t.Helper()
	for at = range raw {
		if found, err := parseTx(monero.NewBlobReader(raw[at:])); err == nil && found.Reward && found.Height == block.Height {
			if tx = raw[at : at+found.lengths.base]; bytes.Equal(tx[found.lengths.prefix:], []byte{0}) {
				return tx, at
			}
		}
	}
	t.Fatal("a block without a reward")
	return nil, 0
}

// fork replaces the last 1 to 18 blocks by as many others and one more, in which nothing or
// all of what they had is mined again.
func (c *chain) fork(t *testing.T, refill func(blocks int)) {
	t.Helper()
	depth := 1 + c.random.IntN(18)
	_, err := c.daemon.PopBlocks(t.Context(), uint64(depth))
	require.NoError(t, err)
	if c.random.IntN(2) == 0 {
		call(t, c.url, "flush_txpool", map[string]any{}, nil)
	}
	refill(depth + 1)
	c.forks++
}

// follow reads the chain as a caller does: it drops blocks that are not in the chain any
// more, and reads those after them.
func (c *chain) follow(t *testing.T) {
	t.Helper()
	ctx, top := t.Context(), c.height(t)
	for n := len(c.scanned); n > 0; n = len(c.scanned) {
		hash, err := c.daemon.BlockHash(ctx, uint64(n-1))
		if err == nil && hash == c.scanned[n-1].Hash.String() {
			break
		}
		c.scanned = c.scanned[:n-1]
	}
	fresh, err := c.scanner.Blocks(ctx, uint64(len(c.scanned)), top-1)
	require.NoError(t, err)
	if n := len(c.scanned); n > 0 && len(fresh) > 0 {
		require.Equal(t, c.scanned[n-1].Hash, fresh[0].Prev)
	}
	c.scanned = append(c.scanned, fresh...)
	require.Len(t, c.scanned, int(top))
}

// catchUp lets a wallet read the chain.
func (c *chain) catchUp(t *testing.T, wallet string) {
	t.Helper()
	w := monero.NewWallet(monero.Endpoint{URL: wallet}, jsonrpc.Options{CallTimeout: maxWait})
	require.Eventually(t, func() bool { return w.CatchUp(t.Context(), c.daemon) == nil }, maxWait, 20*time.Millisecond)
}
