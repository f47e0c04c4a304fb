package scan

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// recipient is a wallet that knows its addresses 0 to 20.
type recipient struct {
	*Wallet

	known map[Key]monero.Subaddress
	// asked are the lookups that were made, by the number of their keys.
	asked []int
	// recorded are the transactions of each one-time key.
	recorded map[Key][]string
}

const walletID = "wallet"

func newRecipient(tb testing.TB) *recipient {
	tb.Helper()
	view := numbered("view")
	primary := monero.Address{Kind: monero.KindStandard, Spend: [32]byte(base(numbered("spend"))), View: [32]byte(base(view))}
	deriver, err := monero.NewDeriver(primary.String(), hex.EncodeToString(view.Bytes()))
	require.NoError(tb, err)
	w := &recipient{Wallet: &Wallet{walletID, deriver}, known: map[Key]monero.Subaddress{}}
	for index := range uint32(21) {
		w.know(tb, 0, index)
	}
	return w
}

// know gives out an address.
func (w *recipient) know(tb testing.TB, account, index uint32) monero.Address {
	tb.Helper()
	a := w.address(tb, account, index)
	w.known[a.Spend] = monero.Subaddress{Index: index, Address: a.String()}
	return a
}

func (w *recipient) address(tb testing.TB, account, index uint32) monero.Address {
	tb.Helper()
	a, err := monero.ParseAddress(w.View.Subaddress(account, index))
	require.NoError(tb, err)
	return a
}

func (w *recipient) lookup(_ context.Context, claims []Claim) (map[Claim]monero.Subaddress, error) {
	w.asked = append(w.asked, len(claims))
	owned := map[Claim]monero.Subaddress{}
	for _, claim := range claims {
		if to, ours := w.known[claim.SpendKey]; ours && claim.WalletID == w.ID {
			owned[claim] = to
		}
	}
	return owned, nil
}

// wallets lists this wallet alone.
func (w *recipient) wallets(context.Context) ([]*Wallet, error) { return []*Wallet{w.Wallet}, nil }

// candidates returns those of a transaction for the wallet.
func (w *recipient) candidates(tx *Tx) []candidate { return tx.candidatesOf([]*Wallet{w.Wallet}) }

func (w *recipient) record(_ context.Context, _ string, keys []Key, txHashes []string) (others []string, err error) {
	if w.recorded == nil {
		w.recorded = map[Key][]string{}
	}
	for i, key := range keys {
		for _, other := range w.recorded[key] {
			if !slices.Contains(txHashes, other) {
				others = append(others, other)
			}
		}
		if !slices.Contains(w.recorded[key], txHashes[i]) {
			w.recorded[key] = append(w.recorded[key], txHashes[i])
		}
	}
	return others, nil
}

// find returns the outputs of a transaction that belong to the wallet.
func (w *recipient) find(tb testing.TB, txs ...*Tx) []Output {
	tb.Helper()
	list := make([]examined, len(txs))
	for i, tx := range txs {
		list[i] = examined{tx: tx}.with([]*Wallet{w.Wallet})
	}
	found, err := find(tb.Context(), w.lookup, list)
	require.NoError(tb, err)
	return found
}

// amounts returns what a transaction pays to the wallet, by the address's index.
func (w *recipient) amounts(tb testing.TB, m *made) map[uint32][]uint64 {
	tb.Helper()
	paid := map[uint32][]uint64{}
	for _, o := range w.find(tb, m.parse(tb)) {
		paid[o.To.Index] = append(paid[o.To.Index], uint64(o.Amount))
	}
	return paid
}

// numbered returns the same scalar for the same name.
func numbered(name string) *edwards25519.Scalar { return monero.ToScalar(monero.Keccak([]byte(name))) }

func base(s *edwards25519.Scalar) []byte { return new(edwards25519.Point).ScalarBaseMult(s).Bytes() }

func times(s *edwards25519.Scalar, point [32]byte) []byte {
	p, err := monero.ParsePoint(point[:])
	if err != nil {
		panic(err)
	}
	return p.ScalarMult(s, p).Bytes()
}

// offCurve returns bytes that are not a point of the curve.
func offCurve() []byte {
	for n := byte(1); ; n++ {
		b := append([]byte{n}, make([]byte, 31)...)
		if _, err := monero.ParsePoint(b); err != nil {
			return b
		}
	}
}

func varint(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// keyFor returns the public key of a transaction with this secret for an address, as a
// wallet writes it.
func keyFor(secret *edwards25519.Scalar, to monero.Address) []byte {
	if to.Kind == monero.KindSubaddress {
		return times(secret, to.Spend)
	}
	return base(secret)
}

// madeOutput is an output as a sender makes it.
type madeOutput struct {
	key    Key
	tag    byte
	amount uint64
	secret Key
	// sealed and commitment are those of the RingCT part.
	sealed, commitment []byte
}

// pay makes an output with the index to an address. kind says how its amount is sealed.
func pay(secret *edwards25519.Scalar, to monero.Address, index int, amount uint64, kind ringKind) madeOutput {
	shared, err := monero.ParsePoint(times(secret, to.View))
	if err != nil {
		panic(err)
	}
	derivation, position := shared.MultByCofactor(shared).Bytes(), varint(uint64(index))
	scalar := monero.ToScalar(monero.Keccak(derivation, position))
	spend, err := monero.ParsePoint(to.Spend[:])
	if err != nil {
		panic(err)
	}
	o := madeOutput{amount: amount, tag: monero.Keccak([]byte("view_tag"), derivation, position)[0], secret: Key(scalar.Bytes())}
	copy(o.key[:], spend.Add(spend, new(edwards25519.Point).ScalarBaseMult(scalar)).Bytes())
	o.seal(kind)
	return o
}

// seal hides the amount, and commits to it.
func (o *madeOutput) seal(kind ringKind) {
	if kind.short() {
		pad := monero.Keccak([]byte("amount"), o.secret[:])
		o.sealed = binary.LittleEndian.AppendUint64(nil, o.amount^binary.LittleEndian.Uint64(pad))
		o.commitment = commit(o.amount, monero.ToScalar(monero.Keccak([]byte("commitment_mask"), o.secret[:])))
		return
	}
	mask, one := numbered("mask"), monero.ToScalar(monero.Keccak(o.secret[:]))
	units := monero.ToScalar(binary.LittleEndian.AppendUint64(nil, o.amount))
	o.commitment = commit(o.amount, mask)
	o.sealed = new(edwards25519.Scalar).Add(mask, one).Bytes()
	o.sealed = append(o.sealed, new(edwards25519.Scalar).Add(units, monero.ToScalar(monero.Keccak(one.Bytes()))).Bytes()...)
}

// made is a transaction as a sender makes it, in bytes that no wallet would write.
type made struct {
	version, unlock uint64
	// reward is the height of the block that it rewards; 0 for a payment.
	reward  uint64
	outputs []madeOutput
	extra   []byte
	kind    ringKind
	// outputType and inputType replace the usual ones.
	outputType, inputType byte
	proofs                []byte
}

// payment makes a transaction that pays these addresses in turn, with one public key.
func payment(secret *edwards25519.Scalar, amount uint64, to ...monero.Address) *made {
	m := &made{version: 2, kind: ringBulletproofPlus, proofs: []byte("proofs")}
	m.extra = extraOf(keyFor(secret, to[0]))
	for i, a := range to {
		m.outputs = append(m.outputs, pay(secret, a, i, amount, m.kind))
	}
	return m
}

// extraOf writes public keys.
func extraOf(keys ...[]byte) (extra []byte) {
	for _, key := range keys {
		extra = append(append(extra, extraKey), key...)
	}
	return extra
}

// additionalOf writes a list of additional keys.
func additionalOf(keys ...[]byte) []byte {
	extra := append([]byte{extraAdditional}, varint(uint64(len(keys)))...)
	for _, key := range keys {
		extra = append(extra, key...)
	}
	return extra
}

// prefix returns the bytes of the prefix.
func (m *made) prefix() []byte {
	b := append(varint(m.version), varint(m.unlock)...)
	switch {
	case m.inputType != 0:
		b = append(b, 1, m.inputType, 0, 1, 0)
		b = append(b, make([]byte, 32)...)
	case m.reward > 0:
		b = append(append(b, 1, inputOfReward), varint(m.reward)...)
	default:
		b = append(b, 1, inputOfKey, 0, 2, 7, 9) // amount, ring of two
		b = append(b, make([]byte, 32)...)
	}
	b = append(b, varint(uint64(len(m.outputs)))...)
	for _, o := range m.outputs {
		if m.reward > 0 || m.version == 1 {
			b = append(b, varint(o.amount)...)
		} else {
			b = append(b, 0)
		}
		kind := m.outputType
		if kind == 0 {
			kind = outputTagged
		}
		b = append(append(b, kind), o.key[:]...)
		if kind == outputTagged {
			b = append(b, o.tag)
		}
	}
	return append(append(b, varint(uint64(len(m.extra)))...), m.extra...)
}

// ringBase returns the bytes of the RingCT base.
func (m *made) ringBase() []byte {
	if m.version == 1 {
		return nil
	}
	b := []byte{byte(m.kind)}
	if m.kind == ringNull {
		return b
	}
	b = append(b, varint(12345)...)
	if m.kind == ringSimple {
		b = append(b, make([]byte, 32)...)
	}
	for _, o := range m.outputs {
		b = append(b, o.sealed...)
	}
	for _, o := range m.outputs {
		b = append(b, o.commitment...)
	}
	return b
}

func (m *made) pruned() []byte { return append(m.prefix(), m.ringBase()...) }

func (m *made) whole() []byte { return append(m.pruned(), m.proofs...) }

func (m *made) parse(tb testing.TB) *Tx {
	tb.Helper()
	tx, err := ParseTx(m.whole())
	require.NoError(tb, err)
	if m.version > 1 && m.kind != ringNull {
		again, err := ParsePruned(m.pruned(), hashOf(m.proofs))
		require.NoError(tb, err)
		require.Equal(tb, tx, again)
	}
	return tx
}
