package secret

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tink-crypto/tink-go/v2/core/cryptofmt"
)

// Errors of a Box. Callers test them with errors.Is.
var (
	// ErrUnseal says that a ciphertext was not sealed by a key of the keyset
	// for this place, or was changed since.
	ErrUnseal = errors.New("cannot unseal")
	// ErrAssociatedData says that an AD does not name a place.
	ErrAssociatedData = errors.New("associated data must name table, column and row")
	// ErrKeyset says that a keyset file cannot be read or used.
	ErrKeyset = errors.New("unusable keyset file")
)

// AD names the place where a ciphertext is stored. A ciphertext that is moved
// to another row or column no longer opens.
type AD struct{ Table, Column, ID string }

// bytes is table:column:id. The first two hold no colon, so that two places
// never have the same text.
func (ad AD) bytes() ([]byte, error) {
	if ad.Table == "" || ad.Column == "" || ad.ID == "" || strings.Contains(ad.Table+ad.Column, ":") {
		return nil, ErrAssociatedData
	}
	return []byte(ad.Table + ":" + ad.Column + ":" + ad.ID), nil
}

// Box seals and unseals with the keys of one keyset file. It is safe for
// concurrent use. A key that was added to the file after it was opened is
// picked up when the first ciphertext under it arrives, so that processes can
// be restarted one by one after a rotation.
type Box struct {
	file string
	ring atomic.Pointer[keyring]
}

// Open reads a keyset file; ErrKeyset when it is missing or malformed.
func Open(keysetFile string) (*Box, error) {
	b := &Box{file: keysetFile}
	if err := b.Reload(); err != nil {
		return nil, err
	}
	return b, nil
}

// Reload reads the keyset file again; on an error the old keys stay in use.
func (b *Box) Reload() error {
	ring, err := openKeyring(b.file)
	if err != nil {
		return err
	}
	b.ring.Store(ring)
	return nil
}

// Seal encrypts plaintext for one place with the primary key. Two calls give
// different ciphertexts. ErrAssociatedData when ad names no place.
func (b *Box) Seal(plaintext []byte, ad AD) ([]byte, error) {
	place, err := ad.bytes()
	if err != nil {
		return nil, err
	}
	return b.seal(plaintext, place)
}

// Unseal decrypts what Seal made for the same place. ErrUnseal when the key is
// unknown, the place is another one, or a bit was changed.
func (b *Box) Unseal(ciphertext []byte, ad AD) ([]byte, error) {
	place, err := ad.bytes()
	if err != nil {
		return nil, err
	}
	return b.unseal(ciphertext, place)
}

// NeedsReseal says that the ciphertext was not sealed with the primary key, so
// that sealing it again lets the older key be dropped.
func (b *Box) NeedsReseal(ciphertext []byte) bool {
	id, ok := keyID(ciphertext)
	return !ok || id != b.ring.Load().primary
}

func (b *Box) seal(plaintext, place []byte) ([]byte, error) {
	out, err := b.ring.Load().aead.Encrypt(plaintext, place)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return out, nil
}

func (b *Box) unseal(ciphertext, place []byte) ([]byte, error) {
	ring := b.ring.Load()
	if !ring.knows(ciphertext) {
		if err := b.Reload(); err != nil {
			return nil, errors.Join(ErrUnseal, err)
		}
		ring = b.ring.Load()
	}
	out, err := ring.aead.Decrypt(ciphertext, place)
	if err != nil {
		return nil, ErrUnseal
	}
	return out, nil
}

// keyID reads the key from Tink's prefix: a version byte and the key's number.
func keyID(ciphertext []byte) (uint32, bool) {
	if len(ciphertext) < cryptofmt.TinkPrefixSize || ciphertext[0] != cryptofmt.TinkStartByte {
		return 0, false
	}
	return binary.BigEndian.Uint32(ciphertext[1:cryptofmt.TinkPrefixSize]), true
}
