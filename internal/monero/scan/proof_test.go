package scan

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

// proven returns the amounts that keys prove for an address. The wallet of the address must
// find each of them.
func (w *recipient) proven(t *testing.T, m *made, to monero.Address, secrets ...*edwards25519.Scalar) ([]uint64, error) {
	t.Helper()
	tx := m.parse(t)
	found, err := PaidTo(tx, secrets, to)
	var amounts []uint64
	for _, o := range found {
		amounts = append(amounts, uint64(o.Amount))
		require.Equal(t, to.String(), o.To.Address)
	}
	if seen := w.find(t, tx); len(found) > 0 {
		require.Len(t, seen, len(found))
		for i := range found {
			require.Equal(t, seen[i].OneTimeKey, found[i].OneTimeKey)
			require.Equal(t, seen[i].Amount, found[i].Amount)
			require.Equal(t, seen[i].Index, found[i].Index)
		}
	}
	return amounts, err
}

// TestAKeyProvesWhatAWalletFinds makes payments of 1,000 piconero in ways that no wallet
// does, and shows the right key unless the case says otherwise.
func TestAKeyProvesWhatAWalletFinds(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub, other := w.address(t, 0, 5), monero.UnspendableAddress(monero.Mainnet)
	one, two := numbered("one"), numbered("two")
	key, junk := keyFor(one, sub), offCurve()
	additional := func(m *made) { // the output has a key of its own
		m.outputs = []madeOutput{pay(one, other, 0, 7, m.kind), pay(two, sub, 1, 1000, m.kind)}
		m.extra = append(extraOf(base(one)), additionalOf(keyFor(one, other), keyFor(two, sub))...)
	}
	for name, test := range map[string]struct {
		change  func(*made)
		secrets []*edwards25519.Scalar
		want    []uint64
		err     error
	}{
		"as a wallet does":                 {want: []uint64{1000}},
		"two outputs":                      {change: func(m *made) { m.outputs = append(m.outputs, pay(one, sub, 1, 5, m.kind)) }, want: []uint64{1000, 5}},
		"wrong key":                        {secrets: []*edwards25519.Scalar{two}, err: ErrTxKey},
		"no key":                           {secrets: []*edwards25519.Scalar{}, err: ErrTxKey},
		"key of an additional key":         {change: additional, secrets: []*edwards25519.Scalar{two}, err: ErrTxKey},
		"additional keys":                  {change: additional, secrets: []*edwards25519.Scalar{one, one, two}, want: []uint64{1000}},
		"additional keys without":          {change: additional},
		"additional keys in another order": {change: additional, secrets: []*edwards25519.Scalar{one, two, one}},
		"more keys than outputs":           {change: additional, secrets: []*edwards25519.Scalar{two, two, two, one}, want: []uint64{1000}},
		"additional keys without a key": {change: func(m *made) {
			additional(m)
			m.extra = additionalOf(keyFor(one, other), keyFor(two, sub))
		}, secrets: []*edwards25519.Scalar{one, one, two}, err: ErrTxKey},
		"additional key after one not on the curve": {change: func(m *made) {
			additional(m)
			m.extra = append(extraOf(base(one)), additionalOf(junk, keyFor(two, sub))...)
		}, secrets: []*edwards25519.Scalar{one, one, two}},
		"other public key": {change: func(m *made) { m.extra = extraOf(keyFor(two, sub)) }, err: ErrTxKey},
		"no public key":    {change: func(m *made) { m.extra = nil }, err: ErrTxKey},
		"public key cut":   {change: func(m *made) { m.extra = m.extra[:32] }, err: ErrTxKey},
		"public key of an address, paid to a subaddress": {change: func(m *made) { m.extra = extraOf(base(one)) }},
		"second public key":      {change: func(m *made) { m.extra = extraOf(base(two), key) }, want: []uint64{1000}},
		"after a malformed one":  {change: func(m *made) { m.extra = append([]byte{0x05}, m.extra...) }, err: ErrTxKey},
		"wrong view tag":         {change: func(m *made) { m.outputs[0].tag++ }},
		"wrong amount":           {change: func(m *made) { m.outputs[0].sealed[0]++ }},
		"wrong commitment":       {change: func(m *made) { m.outputs[0].commitment = commit(1001, numbered("mask")) }},
		"an amount of nothing":   {change: func(m *made) { m.outputs[0].amount = 0; m.outputs[0].seal(m.kind) }},
		"another address":        {change: func(m *made) { m.outputs[0] = pay(one, other, 0, 1000, m.kind) }},
		"one-time key not valid": {change: func(m *made) { copy(m.outputs[0].key[:], junk) }},
		"locked to a height":     {change: func(m *made) { m.unlock = 100 }, err: ErrLocked},
		"locked to a time":       {change: func(m *made) { m.unlock = 1_700_000_000 }, err: ErrLocked},
		"the same one-time key": {change: func(m *made) { // its second output is the first with another amount
			again := m.outputs[0]
			again.amount = 5000
			again.seal(m.kind)
			m.outputs = append(m.outputs, again)
		}, want: []uint64{1000}},
		"a reward": {change: func(m *made) { m.reward, m.kind, m.proofs = 300, ringNull, nil }, err: ErrReward},
	} {
		m := payment(one, 1000, sub)
		if test.change != nil {
			test.change(m)
		}
		secrets := test.secrets
		if secrets == nil {
			secrets = []*edwards25519.Scalar{one}
		}
		amounts, err := w.proven(t, m, sub, secrets...)
		require.ErrorIs(t, err, test.err, name)
		require.Equal(t, test.want, amounts, name)
	}
	primary := w.address(t, 0, 0)
	integrated := primary
	integrated.Kind, integrated.PaymentID = monero.KindIntegrated, [8]byte{1}
	for _, to := range []monero.Address{primary, integrated} {
		amounts, err := w.proven(t, payment(one, 7, primary), to, one)
		require.NoError(t, err)
		require.Equal(t, []uint64{7}, amounts)
		amounts, err = w.proven(t, payment(one, 7, primary), sub, one)
		require.NoError(t, err, "the key is the transaction's, the address is another")
		require.Empty(t, amounts)
		m := payment(one, 7, primary)
		m.extra = extraOf(times(one, primary.Spend)) // as for a subaddress
		_, err = w.proven(t, m, to, one)
		require.ErrorIs(t, err, ErrTxKey)
	}
}

// TestKeysOfAWalletProveItsPayments has monero-wallet-rpc pay, and proves each payment with
// the keys that it shows.
func TestKeysOfAWalletProveItsPayments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts monerod and monero-wallet-rpc")
	}
	c := startChain(t, rand.Uint64())
	c.catchUp(t, c.customer)
	w := c.recipient
	primary, sub, other := w.address(t, 0, 0), w.address(t, 0, 5), w.address(t, 0, 6)
	integrated := primary
	integrated.Kind, integrated.PaymentID = monero.KindIntegrated, [8]byte{1, 2}
	stranger := keys{numbered("stranger"), numbered("stranger's view")}.primary()
	var previous []*edwards25519.Scalar
	for name, to := range map[string][]monero.Address{
		"an address":                     {primary},
		"an integrated address":          {integrated},
		"a subaddress":                   {sub},
		"a subaddress twice":             {sub, sub},
		"a subaddress beside an address": {primary, sub},
		"subaddresses beside a stranger": {stranger, sub, other, sub},
	} {
		var destinations []map[string]any
		paid := map[monero.Address][]uint64{}
		for i, a := range to {
			amount := uint64(money.OneXMR)/1000 + uint64(i)
			destinations = append(destinations, map[string]any{"address": a.String(), "amount": amount})
			paid[a] = append(paid[a], amount)
		}
		var sent, shown struct {
			Hash string `json:"tx_hash"`
			Key  string `json:"tx_key"`
		}
		call(t, c.customer, "transfer", map[string]any{"destinations": destinations}, &sent)
		call(t, c.customer, "get_tx_key", map[string]any{"txid": sent.Hash}, &shown)
		secrets, err := monero.ParseTxKey(shown.Key)
		require.NoError(t, err)
		hash, err := ParseHash(sent.Hash)
		require.NoError(t, err)
		for _, mined := range []bool{false, true} {
			tx, place, err := FetchTx(t.Context(), c.daemon, hash)
			require.NoError(t, err)
			require.Equal(t, mined, !place.InPool)
			for a, amounts := range paid {
				found, err := PaidTo(tx, secrets, a)
				require.NoError(t, err, name)
				var proven []uint64
				for _, o := range found {
					proven = append(proven, uint64(o.Amount))
				}
				require.ElementsMatch(t, amounts, proven, name)
				if previous != nil {
					_, err = PaidTo(tx, previous, a)
					require.ErrorIs(t, err, ErrTxKey, "another transaction's key")
				}
			}
			found, _ := PaidTo(tx, secrets, w.address(t, 0, 9))
			require.Empty(t, found, "an address that it does not pay")
			if !mined {
				c.mine(t, c.customerAddress, 11) // so that the customer's change can be spent again
				c.catchUp(t, c.customer)
			}
		}
		previous = secrets
	}
	unknown := Hash(numbered("nothing").Bytes())
	_, _, err := FetchTx(t.Context(), c.daemon, unknown)
	require.ErrorIs(t, err, monero.ErrNotFound)
	_, err = monero.ParseTxKey(hex.EncodeToString(make([]byte, 32)))
	require.ErrorIs(t, err, monero.ErrTxKey, "zero")
}
