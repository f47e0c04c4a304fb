package scan

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
)

const piconero = uint64(money.OneXMR) / 7

func TestPaymentsToEveryKindOfAddress(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	primary, sub, other := w.address(t, 0, 0), w.address(t, 0, 5), w.address(t, 0, 6)
	integrated := primary
	integrated.Kind, integrated.PaymentID = monero.KindIntegrated, [8]byte{1}
	one, two := numbered("one"), numbered("two")

	several := payment(one, piconero, primary)
	several.outputs = append(several.outputs, pay(two, sub, 1, 2*piconero, several.kind), pay(one, primary, 2, 3, several.kind))
	several.outputs = append(several.outputs, pay(two, sub, 3, 4, several.kind))
	several.extra = append(extraOf(base(one)), additionalOf(base(one), keyFor(two, sub), base(one), keyFor(two, sub))...)

	reward := &made{version: 2, reward: 300, outputs: []madeOutput{pay(one, sub, 0, 600, 0), pay(one, other, 1, 7, 0)}}
	reward.extra = extraOf(keyFor(one, sub), keyFor(one, other))

	for name, test := range map[string]struct {
		tx   *made
		want map[uint32][]uint64
	}{
		"primary":              {payment(one, piconero, primary), map[uint32][]uint64{0: {piconero}}},
		"integrated":           {payment(one, 1, integrated), map[uint32][]uint64{0: {1}}},
		"subaddress":           {payment(one, math.MaxUint64, sub), map[uint32][]uint64{5: {math.MaxUint64}}},
		"the same twice":       {payment(one, 9, sub, sub), map[uint32][]uint64{5: {9, 9}}},
		"another person":       {payment(one, 9, monero.UnspendableAddress(monero.Mainnet)), map[uint32][]uint64{}},
		"additional keys":      {several, map[uint32][]uint64{0: {piconero, 3}, 5: {2 * piconero, 4}}},
		"both keys of a block": {reward, map[uint32][]uint64{5: {600}, 6: {7}}},
	} {
		require.Equal(t, test.want, w.amounts(t, test.tx), name)
	}
}

// TestAmountsOfEveryForm reads amounts as each version of the network has written them.
func TestAmountsOfEveryForm(t *testing.T) {
	t.Parallel()
	w, one := newRecipient(t), numbered("one")
	sub := w.address(t, 0, 5)
	for kind := ringFull; kind <= ringBulletproofPlus; kind++ {
		for _, outputType := range []byte{outputToKey, outputTagged} {
			m := payment(one, piconero, sub, sub)
			m.kind, m.outputType = kind, outputType
			for i := range m.outputs {
				m.outputs[i].seal(kind)
			}
			require.Equal(t, map[uint32][]uint64{5: {piconero, piconero}}, w.amounts(t, m), "RingCT type %d", kind)
			m.outputs[1].commitment = commit(1, numbered("mask"))
			require.Equal(t, map[uint32][]uint64{5: {piconero}}, w.amounts(t, m), "RingCT type %d", kind)
		}
	}
	m := payment(one, piconero, sub)
	m.version, m.kind, m.outputType = 1, ringNull, outputToKey
	require.Equal(t, map[uint32][]uint64{5: {piconero}}, w.amounts(t, m))
}

// TestOnlyProvenPaymentsCount makes one payment of 1,000 piconero in ways that no wallet
// does.
func TestOnlyProvenPaymentsCount(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub, one := w.address(t, 0, 5), numbered("one")
	key, junk := keyFor(one, sub), offCurve()
	var ten, thirtyThree [][]byte
	for n := range 33 {
		if n < 10 {
			ten = append(ten, base(numbered(string(rune('a'+n)))))
		}
		if thirtyThree = append(thirtyThree, base(numbered(string(rune('A'+n))))); n == 31 {
			thirtyThree[n] = key
		}
	}
	merge := append([]byte{extraMerge, 33, 1}, make([]byte, 32)...)
	for name, test := range map[string]struct {
		change func(*made)
		counts bool
	}{
		"as a wallet does":           {func(*made) {}, true},
		"wrong amount":               {func(m *made) { m.outputs[0].sealed[0]++ }, false},
		"wrong commitment":           {func(m *made) { m.outputs[0].commitment = commit(1001, numbered("mask")) }, false},
		"commitment to another mask": {func(m *made) { m.outputs[0].commitment = commit(1000, numbered("mask")) }, false},
		"an amount of nothing":       {func(m *made) { m.outputs[0].amount = 0; m.outputs[0].seal(m.kind) }, false},
		"wrong view tag":             {func(m *made) { m.outputs[0].tag++ }, false},
		"one-time key not on curve":  {func(m *made) { copy(m.outputs[0].key[:], junk) }, false},
		"no key":                     {func(m *made) { m.extra = nil }, false},
		"another's key":              {func(m *made) { m.extra = extraOf(base(one)) }, false},
		"key not on the curve":       {func(m *made) { m.extra = extraOf(junk) }, false},
		"key after one not on curve": {func(m *made) { m.extra = extraOf(junk, key) }, true},
		"ten keys, the last is ours": {func(m *made) { m.extra = extraOf(append(slices.Clone(ten), key)...) }, true},
		"ten keys, ours ten times":   {func(m *made) { m.extra = extraOf(key, key, key, key, key, key, key, key, key, key) }, true},
		"the 32nd key is ours":       {func(m *made) { m.extra = extraOf(thirtyThree...) }, true},
		"the 33rd key is ours":       {func(m *made) { m.extra = extraOf(append(slices.Clone(thirtyThree[:31]), ten[0], key)...) }, false},
		"cut key":                    {func(m *made) { m.extra = m.extra[:32] }, false},
		"cut list":                   {func(m *made) { m.extra = append(extraOf(ten[0]), additionalOf(key)[:33]...) }, false},
		"list that claims too much":  {func(m *made) { m.extra = append(m.extra, extraAdditional, 0xff, 0xff, 0xff, 0xff, 0x0f) }, true},
		"endless number":             {func(m *made) { m.extra = append([]byte{extraNonce, 0xff, 0xff, 0xff, 0xff, 0xff}, m.extra...) }, false},
		"unknown field before":       {func(m *made) { m.extra = append([]byte{0x05}, m.extra...) }, false},
		"unknown field after":        {func(m *made) { m.extra = append(m.extra, 0x05) }, true},
		"padding before":             {func(m *made) { m.extra = append([]byte{extraPadding}, m.extra...) }, false},
		"nonce of 255": {func(m *made) {
			m.extra = append(append([]byte{extraNonce, 0xff, 0x01}, make([]byte, 255)...), m.extra...)
		}, true},
		"nonce of 256": {func(m *made) {
			m.extra = append(append([]byte{extraNonce, 0x80, 0x02}, make([]byte, 256)...), m.extra...)
		}, false},
		"minergate":                   {func(m *made) { m.extra = append([]byte{extraMinergate, 2, 1, 1}, m.extra...) }, true},
		"merge mining":                {func(m *made) { m.extra = append(slices.Clone(merge), m.extra...) }, true},
		"merge mining, too long":      {func(m *made) { m.extra = append(append([]byte{extraMerge, 34}, append(merge[2:], 0)...), m.extra...) }, false},
		"merge mining, too short":     {func(m *made) { m.extra = append(append([]byte{extraMerge, 32}, merge[2:34]...), m.extra...) }, false},
		"additional key alone":        {func(m *made) { m.extra = additionalOf(key) }, false},
		"additional key beside a key": {func(m *made) { m.extra = append(extraOf(ten[0]), additionalOf(key)...) }, true},
		"additional key beside junk":  {func(m *made) { m.extra = append(extraOf(junk), additionalOf(key)...) }, true},
		"additional key of another":   {func(m *made) { m.extra = append(extraOf(ten[0]), additionalOf(ten[0], key)...) }, false},
		"additional key, second list": {func(m *made) { m.extra = append(extraOf(ten[0]), append(additionalOf(), additionalOf(key)...)...) }, false},
		"additional key, first list": {func(m *made) {
			m.extra = append(append(additionalOf(key), additionalOf(ten[1])...), extraOf(ten[0])...)
		}, true},
		"additional key not on curve":  {func(m *made) { m.extra = append(extraOf(ten[0]), additionalOf(junk)...) }, false},
		"extra key beside a list":      {func(m *made) { m.extra = append(extraOf(ten[0], key), additionalOf(ten[1])...) }, true},
		"output without view tag":      {func(m *made) { m.outputType = outputToKey }, true},
		"output without tag or amount": {func(m *made) { m.outputType = outputToKey; m.outputs[0].sealed[7]++ }, false},
	} {
		m := payment(one, 1000, sub)
		test.change(m)
		want := map[uint32][]uint64{}
		if test.counts {
			want[5] = []uint64{1000}
		}
		require.Equal(t, want, w.amounts(t, m), name)
	}
}

// TestAnAdditionalKeyAfterABadOne: wallet2 could not spend the payment.
func TestAnAdditionalKeyAfterABadOne(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub, one := w.address(t, 0, 5), numbered("one")
	m := payment(one, 1000, sub, sub, sub)
	junk, key := offCurve(), keyFor(one, sub)
	m.extra = append(extraOf(base(one)), additionalOf(key, junk, key)...)
	require.Equal(t, map[uint32][]uint64{5: {1000}}, w.amounts(t, m))
}

// TestTheSameOneTimeKey: two transactions with the same key are both found, with the key
// that shows it. Within one transaction the greatest counts.
func TestTheSameOneTimeKey(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub, one := w.address(t, 0, 5), numbered("one")
	first, second := payment(one, 1000, sub), payment(one, 2000, sub)
	found := w.find(t, first.parse(t), second.parse(t))
	require.Len(t, found, 2)
	require.Equal(t, found[0].OneTimeKey, found[1].OneTimeKey)
	require.NotEqual(t, found[0].TxHash, found[1].TxHash)

	// The key belongs to an address at one position alone, unless two spend keys of the
	// wallet differ by a number that the sender knows.
	twice := payment(one, 1000, sub, sub, sub)
	twice.outputType, twice.outputs[2] = outputToKey, twice.outputs[0]
	require.Equal(t, map[uint32][]uint64{5: {1000, 1000}}, w.amounts(t, twice))
	twice.outputs[2].secret = twice.parse(t).secretOf(w.candidates(twice.parse(t))[2])
	twice.outputs[2].amount = 2000
	twice.outputs[2].seal(twice.kind)
	for _, c := range w.candidates(twice.parse(t)) {
		w.known[c.spendKey] = monero.Subaddress{Index: 5}
	}
	require.Equal(t, map[uint32][]uint64{5: {1000, 2000}}, w.amounts(t, twice))
}

// TestAddressesBeyondEveryNumber: an address is found by its key, whatever its account and
// index are, and not before it is given out.
func TestAddressesBeyondEveryNumber(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	for _, at := range [][2]uint32{{0, math.MaxUint32}, {1, 0}, {math.MaxUint32, math.MaxUint32}} {
		m := payment(numbered("one"), 1000, w.address(t, at[0], at[1]))
		tx := m.parse(t)
		kept := w.candidates(tx)
		require.Len(t, kept, 1)
		require.Empty(t, w.find(t, tx))
		w.know(t, at[0], at[1])
		require.Len(t, w.find(t, tx), 1)
		require.Equal(t, kept, w.candidates(tx))
	}
}

// TestOneLookupForManyTransactions also asks for each key once, and for none if nothing
// can be ours.
func TestOneLookupForManyTransactions(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	var txs []*Tx
	for n := range uint64(20) {
		txs = append(txs, payment(numbered("one"), n+1, w.address(t, 0, 5), w.address(t, 0, 5)).parse(t))
	}
	require.Len(t, w.find(t, txs...), 40)
	require.Equal(t, []int{1}, w.asked)
	m := payment(numbered("one"), 1, w.address(t, 0, 5))
	m.outputs[0].tag++
	require.Empty(t, w.find(t, m.parse(t)))
	require.Len(t, w.asked, 1)
}

func TestALockIsReported(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	m := payment(numbered("one"), 1000, w.address(t, 0, 5))
	m.unlock = 1_900_000_000
	found := w.find(t, m.parse(t))
	require.Len(t, found, 1)
	require.Equal(t, m.unlock, found[0].UnlockTime)
}

// TestSmallOrderPoints: their shared secret is known to everyone, but the payment is real.
func TestSmallOrderPoints(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	sub := w.address(t, 0, 5)
	identity := edwards25519.NewIdentityPoint().Bytes()
	scalar := monero.ToScalar(monero.Keccak(identity, varint(0)))
	spend, err := monero.ParsePoint(sub.Spend[:])
	require.NoError(t, err)
	o := madeOutput{amount: 1000, tag: monero.Keccak([]byte("view_tag"), identity, varint(0))[0], secret: Key(scalar.Bytes())}
	o.key = Key(spend.Add(spend, new(edwards25519.Point).ScalarBaseMult(scalar)).Bytes())
	o.seal(ringBulletproofPlus)
	m := payment(numbered("one"), 1000, sub)
	m.outputs, m.extra = []madeOutput{o}, extraOf(identity)
	require.Equal(t, map[uint32][]uint64{5: {1000}}, w.amounts(t, m))
}

func BenchmarkCandidates(b *testing.B) {
	w := newRecipient(b)
	stranger := w.address(b, 7, 7)
	for name, outputs := range map[string]int{"two outputs": 2, "sixteen outputs": 16} {
		to := slices.Repeat([]monero.Address{stranger}, outputs)
		m := payment(numbered("one"), 1, to...)
		m.extra = extraOf(base(numbered("two"))) // it pays none of these wallets, as nearly every transaction
		tx := m.parse(b)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = w.candidates(tx)
			}
		})
	}
	m := payment(numbered("one"), 1, stranger)
	m.reward, m.kind, m.proofs = 1, ringNull, nil
	var keys [][]byte
	for n := range uint32(4000) {
		keys = append(keys, base(numbered(string(binary.BigEndian.AppendUint32(nil, n)))))
	}
	m.extra = extraOf(keys...)
	tx := m.parse(b)
	b.Run("a block's reward with four thousand keys", func(b *testing.B) {
		for b.Loop() {
			_ = w.candidates(tx)
		}
	})
}
