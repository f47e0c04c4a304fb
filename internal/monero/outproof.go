package monero

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"

	"filippo.io/edwards25519"
)

// ErrTxKey means that a text is not the secret key of a transaction.
var ErrTxKey = errors.New("not a transaction's key")

// outProofDomain separates the hashes of these proofs from all other hashes.
const outProofDomain = "TXPROOF_V2"

// OutProof proves that the maker of a transaction paid an address with it. It makes the
// same proof as Monero's wallets do (get_tx_proof without a message, OutProofV2), and
// wallets check it with check_tx_proof. The proof does not show the transaction's key,
// which would also show its other payments.
//
// txKey is the result of a wallet's get_tx_key: the key, 64 hex digits, followed by
// those of outputs to subaddresses. Two proofs of the same payment differ, because each
// contains a random number. OutProof returns ErrTxKey for a bad txKey, and another error
// for a malformed txHash.
func OutProof(txHash, txKey string, to Address) (string, error) {
	id, err := hex.DecodeString(txHash)
	if err != nil || len(id) != keyLen {
		return "", errors.New("not a transaction's hash")
	}
	keys, err := ParseTxKey(txKey)
	if err != nil {
		return "", err
	}
	proof := bytes.NewBufferString("OutProofV2")
	for _, key := range keys {
		shared, signature, err := provePayment(Keccak(id), key, to)
		if err != nil {
			return "", err
		}
		proof.WriteString(base58Encode(shared) + base58Encode(signature))
	}
	return proof.String(), nil
}

// ParseTxKey reads the result of a wallet's get_tx_key: the secret key of a transaction, 64
// hex digits, followed by those of outputs to subaddresses. It returns ErrTxKey for another
// text.
func ParseTxKey(text string) ([]*edwards25519.Scalar, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) == 0 || len(raw)%keyLen != 0 {
		return nil, ErrTxKey
	}
	var keys []*edwards25519.Scalar
	for key := range slices.Chunk(raw, keyLen) {
		scalar, err := new(edwards25519.Scalar).SetCanonicalBytes(key)
		if err != nil || scalar.Equal(new(edwards25519.Scalar)) == 1 {
			return nil, ErrTxKey
		}
		keys = append(keys, scalar)
	}
	return keys, nil
}

// provePayment returns the secret that key and address share, and a signature of message
// that only the owner of the key can make. The signature is a Schnorr proof: the same
// scalar leads from the base to the public key of the transaction, and from the view key
// to that secret.
func provePayment(message []byte, key *edwards25519.Scalar, to Address) (shared, signature []byte, err error) {
	view, err := ParsePoint(to.View[:])
	if err != nil {
		return nil, nil, err
	}
	// For an output to a subaddress, the base is the subaddress's spend key.
	base, spend := edwards25519.NewGeneratorPoint(), make([]byte, keyLen)
	if to.Kind == KindSubaddress {
		if base, err = ParsePoint(to.Spend[:]); err != nil {
			return nil, nil, err
		}
		spend = to.Spend[:]
	}
	nonce := randomScalar()
	times := func(s *edwards25519.Scalar, p *edwards25519.Point) []byte {
		return new(edwards25519.Point).ScalarMult(s, p).Bytes()
	}
	shared = times(key, view)
	challenge := ToScalar(Keccak(
		message, shared, times(nonce, base), times(nonce, view), Keccak([]byte(outProofDomain)), times(key, base), to.View[:], spend,
	))
	answer := new(edwards25519.Scalar).Subtract(nonce, new(edwards25519.Scalar).Multiply(challenge, key))
	return shared, append(challenge.Bytes(), answer.Bytes()...), nil
}

// ToScalar reduces a number of 32 bytes, lowest first, to a scalar of the curve.
func ToScalar(hash []byte) *edwards25519.Scalar {
	var wide [64]byte
	copy(wide[:], hash)
	return scalar(wide)
}

func randomScalar() *edwards25519.Scalar {
	var wide [64]byte
	_, _ = rand.Read(wide[:]) // it never fails: the process would crash instead
	return scalar(wide)
}

// scalar reduces a number to a scalar of the curve.
func scalar(wide [64]byte) *edwards25519.Scalar {
	s, err := new(edwards25519.Scalar).SetUniformBytes(wide[:])
	if err != nil {
		panic(err) // 64 bytes are always accepted
	}
	return s
}
