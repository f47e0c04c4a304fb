package secret

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tink-crypto/tink-go/v2/core/cryptofmt"
)

// Errors of a Box. Callers test them with errors.Is.
var (
	// ErrUnseal means that a ciphertext was not sealed by a key of the keyset for
	// this place, or was changed since.
	ErrUnseal = errors.New("cannot unseal")
	// ErrAssociatedData means that an AD does not name a place.
	ErrAssociatedData = errors.New("associated data must name table, column and row")
	// ErrKeyset means that a keyset file cannot be read or used.
	ErrKeyset = errors.New("unusable keyset file")
	// ErrNoKey means that the process does not have the keys of a place.
	ErrNoKey = errors.New("no key for this place")
)

// AD names the place where a ciphertext is stored. A ciphertext that is moved
// to another row or column can no longer be opened.
type AD struct{ Table, Column, ID string }

// bytes returns table:column:id. Table and column contain no colon, so two
// places never have the same text.
func (ad AD) bytes() ([]byte, error) {
	if ad.Table == "" || ad.Column == "" || ad.ID == "" || strings.Contains(ad.Table+ad.Column, ":") {
		return nil, ErrAssociatedData
	}
	return []byte(ad.Table + ":" + ad.Column + ":" + ad.ID), nil
}

// Box seals and unseals data with the keys that the process has: with one
// keyset for all data (Open), or with one for each kind of data (OpenFolder).
// It is safe for concurrent use. If a key was added to a file after it was
// opened, the Box reads the file again when the first ciphertext under that key
// arrives. So processes can be restarted one by one after a rotation.
type Box struct {
	// all is the keyset for all data; nil if each kind has its own.
	all   *keyfile
	kinds map[Kind]*keyfile
}

// Open reads a keyset file that is used for all data. It returns ErrKeyset if
// the file is missing or malformed.
func Open(keysetFile string) (*Box, error) {
	file, err := openKeyfile(keysetFile)
	if err != nil {
		return nil, err
	}
	return &Box{all: file}, nil
}

// OpenFolder reads the keysets of some kinds of data, DIR/KIND/keyset.json.
// Data of other kinds can be neither sealed nor opened (ErrNoKey). OpenFolder
// returns ErrKeyset if a file is missing or malformed.
func OpenFolder(dir string, kinds ...Kind) (*Box, error) {
	b := &Box{kinds: make(map[Kind]*keyfile, len(kinds))}
	for _, kind := range kinds {
		file, err := openKeyfile(kind.KeysetFile(dir))
		if err != nil {
			return nil, err
		}
		if kind == ViewKeysSeal {
			kind = ViewKeys // its places are those of the whole keyset
		}
		b.kinds[kind] = file
	}
	return b, nil
}

// Reload reads the files again. After an error the old keys stay in use.
func (b *Box) Reload() error {
	if b.all != nil {
		return b.all.reload()
	}
	for _, file := range b.kinds {
		if err := file.reload(); err != nil {
			return err
		}
	}
	return nil
}

// Seal encrypts plaintext for one place with the primary key. Two calls return
// different ciphertexts. Seal returns ErrAssociatedData if ad names no place,
// and ErrNoKey if the process does not have the keys of that place.
func (b *Box) Seal(plaintext []byte, ad AD) ([]byte, error) {
	file, place, err := b.at(ad)
	if err != nil {
		return nil, err
	}
	return file.seal(plaintext, place)
}

// Unseal decrypts a ciphertext that Seal made for the same place. It returns
// ErrUnseal if the key is unknown, the place is another one, or a bit was
// changed, and ErrNoKey if the process only seals there. Its other errors are
// those of Seal.
func (b *Box) Unseal(ciphertext []byte, ad AD) ([]byte, error) {
	file, place, err := b.at(ad)
	if err != nil {
		return nil, err
	}
	return file.unseal(ciphertext, place)
}

// NeedsRekey reports whether the ciphertext was not sealed with the primary key
// of its place. The older key can be dropped once such a ciphertext has been
// sealed again.
func (b *Box) NeedsRekey(ciphertext []byte, ad AD) bool {
	file, _, err := b.at(ad)
	if err != nil {
		return true // Unseal then returns the reason
	}
	id, ok := keyID(ciphertext)
	return !ok || id != file.ring.Load().primary
}

// at returns the keyset of a place, and the place as associated data.
func (b *Box) at(ad AD) (*keyfile, []byte, error) {
	place, err := ad.bytes()
	if err != nil {
		return nil, nil, err
	}
	if b.all != nil {
		return b.all, place, nil
	}
	kind, known := KindOf(ad)
	if file := b.kinds[kind]; known && file != nil {
		return file, place, nil
	}
	return nil, nil, fmt.Errorf("%w: %s.%s", ErrNoKey, ad.Table, ad.Column)
}

// keyfile is one keyset file with the keys from its last read.
type keyfile struct {
	path string
	ring atomic.Pointer[keyring]
}

func openKeyfile(path string) (*keyfile, error) {
	f := &keyfile{path: path}
	return f, f.reload()
}

func (f *keyfile) reload() error {
	ring, err := openKeyring(f.path)
	if err != nil {
		return err
	}
	f.ring.Store(ring)
	return nil
}

func (f *keyfile) seal(plaintext, place []byte) ([]byte, error) {
	out, err := f.ring.Load().sealer.Encrypt(plaintext, place)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return out, nil
}

func (f *keyfile) unseal(ciphertext, place []byte) ([]byte, error) {
	ring := f.ring.Load()
	if !ring.knows(ciphertext) {
		if err := f.reload(); err != nil {
			return nil, errors.Join(ErrUnseal, err)
		}
		ring = f.ring.Load()
	}
	if ring.opener == nil {
		return nil, fmt.Errorf("%w: %w: the keyset only seals", ErrUnseal, ErrNoKey)
	}
	out, err := ring.opener.Decrypt(ciphertext, place)
	if err != nil {
		return nil, ErrUnseal
	}
	return out, nil
}

// keyID reads the key's ID from Tink's prefix: a version byte and the key's
// number.
func keyID(ciphertext []byte) (uint32, bool) {
	if len(ciphertext) < cryptofmt.TinkPrefixSize || ciphertext[0] != cryptofmt.TinkStartByte {
		return 0, false
	}
	return binary.BigEndian.Uint32(ciphertext[1:cryptofmt.TinkPrefixSize]), true
}

// SealToken makes a text from the data of a link. The text is safe in URLs, and cannot be
// made or read without the key. The place binds it to its use.
func (b *Box) SealToken(v any, place AD) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	sealed, err := b.Seal(plain, place)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// OpenToken reads a text that SealToken made into v. It returns false for a text that
// SealToken did not make for this use, or whose key was dropped.
func (b *Box) OpenToken(token string, place AD, v any) bool {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return false
	}
	plain, err := b.Unseal(sealed, place)
	return err == nil && json.Unmarshal(plain, v) == nil
}
