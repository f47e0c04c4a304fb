package scan

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// fewOutputs is how many outputs are made in a run of all tests. SCAN_OUTPUTS replaces it.
const fewOutputs = 1000

// setting returns a number from the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(name), strconv.FormatUint(otherwise, 10)), 10, 64)
	require.NoError(t, err)
	return n
}

// TestFindsWhatTheWalletFinds makes random payments and block rewards on a private chain
// with reorganizations, and compares with what monero-wallet-rpc shows: transfers to 1 to 15
// addresses, change, and rewards with extras that no miner writes.
func TestFindsWhatTheWalletFinds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts monerod and monero-wallet-rpc")
	}
	seed, outputs := setting(t, "TEST_SEED", 1), int(setting(t, "SCAN_OUTPUTS", fewOutputs))
	c := startChain(t, seed)
	for round := 0; round == 0 || c.outputs < outputs; round++ {
		c.catchUp(t, c.customer)
		for range c.random.IntN(4) {
			c.transfer(t, c.customer)
		}
		if round%4 == 3 {
			c.catchUp(t, c.spend)
			c.transfer(t, c.spend)
		}
		c.comparePool(t)
		c.refill(t, 1+c.random.IntN(12))
		if c.random.IntN(3) == 0 {
			c.fork(t, func(blocks int) { c.refill(t, blocks) })
		}
		c.compare(t)
	}
	found := c.foundOutputs()
	require.Greater(t, len(found), outputs/4)
	t.Logf("seed %d: %d outputs made, %d found, %d blocks, %d forks", seed, c.outputs, len(found), c.mining, c.forks)

	t.Run("an output of nothing", c.nothing)
	t.Run("the same one-time key", c.sameKey)
}

// refill mines blocks that pay the customer, the wallet, or many outputs in odd ways.
func (c *chain) refill(t *testing.T, blocks int) {
	t.Helper()
	for range blocks {
		switch c.random.IntN(4) {
		case 0:
			c.mine(t, c.customerAddress, 1)
		case 1:
			c.mine(t, c.recipient.View.Subaddress(0, 0), 1)
		default:
			c.submit(t, func(height, amount uint64) *made { return c.oddReward(t, height, amount) })
		}
	}
}

// oddReward divides a reward among addresses of the wallet and others, under several keys
// and with an extra that may be malformed.
func (c *chain) oddReward(t *testing.T, height, amount uint64) *made {
	t.Helper()
	name := func(n int) string {
		return strconv.FormatUint(height, 10) + "/" + strconv.Itoa(n) + "/" + strconv.Itoa(c.mining)
	}
	count, keys := 1+c.random.IntN(8), 1+c.random.IntN(4)
	m, share := &made{}, amount/uint64(count)
	m.outputs = make([]madeOutput, count)
	own, fields := make([][]byte, count), [][]byte{}
	var owners []monero.Address
	for k := range keys {
		owners = append(owners, c.address(t))
		fields = append(fields, extraOf(keyFor(numbered(name(k)), owners[k])))
	}
	for i := range m.outputs {
		to, secret := c.address(t), numbered(name(100+i))
		own[i] = keyFor(secret, to)
		if k := c.random.IntN(2 * keys); k < keys {
			to, secret = owners[k], numbered(name(k))
		}
		if c.random.IntN(8) == 0 {
			to = monero.UnspendableAddress(monero.Mainnet)
		}
		index := i
		if c.random.IntN(10) == 0 {
			index++ // the secret of another output
		}
		m.outputs[i] = pay(secret, to, index, share, ringNull)
		if c.random.IntN(10) == 0 {
			m.outputs[i].tag++
		}
	}
	m.outputs[0].amount += amount - share*uint64(count)
	m.extra = c.oddExtra(append(fields, additionalOf(own[:count-c.random.IntN(2)]...)))
	return m
}

// oddExtra orders fields at random, with others between them, and cuts the end at times.
func (c *chain) oddExtra(fields [][]byte) []byte {
	merge := append([]byte{extraMerge, 33, 1}, make([]byte, 32)...)
	odd := [][]byte{
		extraOf(offCurve()), extraOf(fields[0][1:]), additionalOf(), {extraNonce, 2, 1, 1}, {extraNonce, 0},
		append([]byte{extraNonce, 0xff, 1}, make([]byte, 255)...), append([]byte{extraNonce, 0x80, 2}, make([]byte, 256)...),
		merge, append([]byte{extraMerge, 34}, append(merge[2:35:35], 0)...), append([]byte{extraMerge, 34, 0x80, 1}, merge[3:]...),
		append([]byte{extraMerge, 34, 0x81, 0}, merge[3:]...), {extraMinergate, 3, 1, 1, 1}, {extraMinergate, 0},
		{0x05}, {extraPadding}, {extraAdditional, 0xff, 0xff, 3}, {extraNonce, 0x81, 0, 1}, {extraAdditional, 0x80, 0}, make([]byte, 256),
	}
	for range c.random.IntN(3) {
		fields = append(fields, odd[c.random.IntN(len(odd))])
	}
	if c.random.IntN(2) == 0 {
		c.random.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	extra := slices.Concat(fields...)
	if c.random.IntN(6) == 0 {
		extra = extra[:c.random.IntN(len(extra)+1)]
	}
	return extra
}

// sameKey pays the same one-time key again and again. wallet2 counts the greatest.
func (c *chain) sameKey(t *testing.T) {
	to, secret := c.recipient.address(t, 0, 7), numbered("again")
	for _, part := range []uint64{3, 5, 4, 5, 8} {
		c.submit(t, func(_, amount uint64) *made { return twoParts(secret, to, part, amount) })
		c.catchUp(t, c.oracle)
		c.follow(t)
		require.Equal(t, c.shownOutputs(t), c.foundOutputs())
	}
}

// nothing pays the wallet outputs of no amount, which it does not count.
func (c *chain) nothing(t *testing.T) {
	c.submit(t, func(_, amount uint64) *made {
		return twoParts(numbered("nothing"), c.recipient.address(t, 0, 7), 0, amount)
	})
	c.catchUp(t, c.oracle)
	c.follow(t)
	require.Equal(t, c.shownOutputs(t), c.foundOutputs())
}

// twoParts is a reward of which an address gets a part.
func twoParts(secret *edwards25519.Scalar, to monero.Address, part, amount uint64) *made {
	rest := pay(secret, monero.UnspendableAddress(monero.Mainnet), 1, amount-part, ringNull)
	return &made{extra: extraOf(keyFor(secret, to)), outputs: []madeOutput{pay(secret, to, 0, part, ringNull), rest}}
}
