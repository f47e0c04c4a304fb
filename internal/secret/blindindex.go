package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrBlindIndexKey means that a blind index file cannot be read or used.
var ErrBlindIndexKey = errors.New("unusable blind index file")

// BlindIndex turns a value into a fixed code, so that an encrypted column can
// be looked up and kept unique. Without the key, an attacker cannot check
// guesses.
type BlindIndex struct{ key []byte }

// NewBlindIndexFile writes a fresh key (64 hex digits, mode 0600) to path. It
// never overwrites a file: it returns fs.ErrExist instead. The key cannot be
// rotated, because the codes of stored rows would no longer match.
func NewBlindIndexFile(path string) error {
	return createFile(path, []byte(NewSecret()+"\n"))
}

// OpenBlindIndex reads a file that NewBlindIndexFile made. It returns
// ErrBlindIndexKey if the file is missing or does not contain 64 hex digits.
func OpenBlindIndex(file string) (*BlindIndex, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBlindIndexKey, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(content)))
	if err != nil || len(key) != sha256.Size {
		return nil, fmt.Errorf("%w %s: want 64 hex digits", ErrBlindIndexKey, file)
	}
	return &BlindIndex{key}, nil
}

// Email returns the 32-byte code of an email address. It is the same for all
// spellings that NormalizeEmail makes equal.
func (x *BlindIndex) Email(s string) []byte { return Code(x.key, NormalizeEmail(s)) }

// ViewKey returns the 32-byte code of the public view key of a wallet.
func (x *BlindIndex) ViewKey(public []byte) []byte {
	return Code(x.key, "viewkey:"+hex.EncodeToString(public))
}

// Client returns the 32-byte code of a caller of an API, by key or address. It
// distinguishes callers without naming them.
func (x *BlindIndex) Client(s string) []byte { return Code(x.key, "client:"+s) }

// Query returns the 32-byte code of a caller's request. It shows whether the
// same request is repeated.
func (x *BlindIndex) Query(s string) []byte { return Code(x.key, "query:"+s) }

// NormalizeEmail removes surrounding space and converts to lower case.
func NormalizeEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
