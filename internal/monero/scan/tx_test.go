package scan

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// minedTx is a transaction of the main chain.
type minedTx struct {
	Hash    string   `json:"hash"`
	Whole   string   `json:"whole"`
	Amounts []uint64 `json:"amounts"`
	Keys    []string `json:"keys"`
}

func mainnet(tb testing.TB) []minedTx {
	tb.Helper()
	text, err := os.ReadFile("testdata/mainnet.json")
	require.NoError(tb, err)
	var list []minedTx
	require.NoError(tb, json.Unmarshal(text, &list))
	return list
}

// TestTransactionsOfTheMainChain reads a block's reward, a transaction of version 1 and one
// of RingCT type 6.
func TestTransactionsOfTheMainChain(t *testing.T) {
	t.Parallel()
	for _, m := range mainnet(t) {
		raw, err := hex.DecodeString(m.Whole)
		require.NoError(t, err)
		tx, err := ParseTx(raw)
		require.NoError(t, err)
		require.Equal(t, m.Hash, tx.Hash.String())
		for i, o := range tx.Outputs {
			require.Equal(t, m.Amounts[i], o.Amount)
			require.Equal(t, m.Keys[i], hex.EncodeToString(o.Key[:]))
		}
		require.Len(t, tx.Outputs, len(m.Keys))
		require.Len(t, tx.keys.each, 1)
	}
}

// TestFormsThatAreNotKnown: the error names the form that a later version of the network may bring, and is
// never read as if it were known.
func TestFormsThatAreNotKnown(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	for name, change := range map[string]func(*made){
		"transaction version 3":            func(m *made) { m.version = 3 },
		"transaction version 0":            func(m *made) { m.version = 0 },
		"output to a script":               func(m *made) { m.outputType = 0x01 },
		"output of a later version":        func(m *made) { m.outputType = 0x04 },
		"input of a script":                func(m *made) { m.inputType = 0x01 },
		"input of a later version":         func(m *made) { m.inputType = 0x03 },
		"RingCT type 7":                    func(m *made) { m.kind = 7 },
		"RingCT type 255":                  func(m *made) { m.kind = 255 },
		"payment without RingCT":           func(m *made) { m.kind = ringNull },
		"reward with RingCT":               func(m *made) { m.reward = 300 },
		"version 3, and an unknown output": func(m *made) { m.version, m.outputType = 3, 9 },
	} {
		m := payment(numbered("one"), 1000, w.address(t, 0, 5))
		change(m)
		_, err := ParseTx(m.whole())
		require.ErrorIs(t, err, ErrForm, name)
		_, err = ParsePruned(m.pruned(), Hash{})
		require.ErrorIs(t, err, ErrForm, name)
	}
}

func TestBytesThatAreNotATransaction(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	m := payment(numbered("one"), 1000, w.address(t, 0, 5), w.address(t, 0, 6))
	pruned := m.pruned()
	for length := range pruned {
		_, err := ParsePruned(pruned[:length], Hash{})
		require.ErrorIs(t, err, monero.ErrTransaction, length)
	}
	_, err := ParsePruned(append(slices.Clone(pruned), 0), Hash{})
	require.ErrorIs(t, err, monero.ErrTransaction, "a byte more")

	old := payment(numbered("one"), 1000, w.address(t, 0, 5))
	old.version, old.outputType = 1, outputToKey
	_, err = ParsePruned(old.pruned(), Hash{})
	require.ErrorIs(t, err, monero.ErrTransaction, "version 1 without signatures")
	reward := payment(numbered("one"), 1000, w.address(t, 0, 5))
	reward.reward, reward.kind = 300, ringNull
	_, err = ParseTx(reward.whole())
	require.ErrorIs(t, err, monero.ErrTransaction, "a reward with proofs")

	for name, from := range map[string]string{
		"number with a superfluous 0": "028000",
		"inputs without end":          "0200ffffffffffffffffff01",
		"ring without end":            "02000102" + "00" + "ffffffffffffffffff01",
		"outputs without end":         "0200" + "01ff05" + "ffffffffffffffffff01",
		"extra without end":           "0200" + "01ff05" + "00" + "ffffffffffffffffff01",
		"no inputs":                   "0200" + "00" + "00" + "00" + "00",
	} {
		raw, err := hex.DecodeString(from)
		require.NoError(t, err)
		_, err = ParseTx(append(raw, make([]byte, 100)...))
		require.ErrorIs(t, err, monero.ErrTransaction, name)
	}
}

// TestAnAmountInClearBesideASealedOne: wallet2 would take the amount in clear.
func TestAnAmountInClearBesideASealedOne(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	m := payment(numbered("one"), 1000, w.address(t, 0, 5))
	open := bytes.Replace(m.whole(), append([]byte{1, 0, outputTagged}, m.outputs[0].key[:]...), append([]byte{1, 9, outputTagged}, m.outputs[0].key[:]...), 1)
	require.NotEqual(t, m.whole(), open)
	_, err := ParseTx(open)
	require.ErrorIs(t, err, monero.ErrTransaction)
}

// TestEveryByteIsHashed changes each byte of a transaction in turn.
func TestEveryByteIsHashed(t *testing.T) {
	t.Parallel()
	w := newRecipient(t)
	m := payment(numbered("one"), 1000, w.address(t, 0, 5))
	hash := m.parse(t).Hash
	for i := range m.whole() {
		changed := m.whole()
		changed[i] ^= 1
		if tx, err := ParseTx(changed); err == nil {
			require.NotEqual(t, hash, tx.Hash, i)
		}
	}
	tx, err := ParsePruned(m.pruned(), Hash{1})
	require.NoError(t, err)
	require.NotEqual(t, hash, tx.Hash)
}

func FuzzTransaction(f *testing.F) {
	w := newRecipient(f)
	for _, m := range mainnet(f) {
		raw, err := hex.DecodeString(m.Whole)
		require.NoError(f, err)
		f.Add(raw)
	}
	for kind := ringFull; kind <= ringBulletproofPlus; kind++ {
		m := payment(numbered("one"), 1000, w.address(f, 0, 5), w.address(f, 0, 6))
		m.kind = kind
		for i := range m.outputs {
			m.outputs[i].seal(kind)
		}
		f.Add(m.whole())
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		tx, err := ParseTx(blob)
		if err != nil {
			requireNamed(t, err)
			return
		}
		require.LessOrEqual(t, len(tx.Outputs)*minOutput+(len(tx.keys.each)+len(tx.keys.own))*len(Key{}), len(blob))
		if len(tx.Outputs) < 20 {
			for _, o := range w.find(t, tx) {
				require.NotZero(t, o.Amount)
				require.Less(t, o.Index, len(tx.Outputs))
			}
		}
		if tx.Version == 2 {
			again, err := ParsePruned(blob[:tx.lengths.base], proofsOf(blob, tx))
			require.NoError(t, err)
			require.Equal(t, tx, again)
		}
	})
}

func proofsOf(blob []byte, tx *Tx) Hash {
	if tx.ringCT.kind == ringNull {
		return Hash{}
	}
	return hashOf(blob[tx.lengths.base:])
}

// requireNamed requires an error that callers can distinguish.
func requireNamed(tb testing.TB, err error) {
	tb.Helper()
	if !strings.Contains(err.Error(), "unknown form") {
		require.ErrorIs(tb, err, monero.ErrTransaction)
		return
	}
	require.ErrorIs(tb, err, ErrForm)
}

func FuzzExtra(f *testing.F) {
	f.Add(append(extraOf(base(numbered("one"))), additionalOf(base(numbered("two")))...))
	f.Add([]byte{extraNonce, 0xff, 0x01, extraMerge, 33, extraMinergate, 0, extraPadding})
	f.Fuzz(func(t *testing.T, extra []byte) {
		keys := keysOfExtra(extra, len(extra))
		require.LessOrEqual(t, len(keys.each), maxKeys)
		require.LessOrEqual(t, (len(keys.each)+len(keys.own))*len(Key{}), len(extra))
	})
}
