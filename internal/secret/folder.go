package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes the key files that are missing below a folder: a folder for
// each kind of data, with a keyset and, where there is one, a blind index or
// the key of session tokens; the codec's token; the certificates of
// NewCertificates. Files that exist are left alone, so a run that was
// cut off is completed by the next.
//
// Where the folder holds the files of the layout before (keyset.json,
// payload-keyset.json, blind-index, jwt-secret), the new ones begin as copies
// of them: everything that they sealed opens, and services of either layout
// read each other's. A rotation then gives each kind a key of its own.
func NewFolder(dir string) error {
	for _, file := range layout(dir) {
		if err := file.make(dir); err != nil {
			return fmt.Errorf("%s: %w", file.path, err)
		}
	}
	return NewCertificates(dir)
}

// newFile is a file of the layout.
type newFile struct {
	path string
	// before is the name of the file that was used for it before there were
	// kinds; empty when it takes over none.
	before string
	create func(path string) error
}

func layout(dir string) []newFile {
	files := []newFile{
		{Payloads.KeysetFile(dir), "payload-keyset.json", NewKeysetFile},
		{Accounts.BlindIndexFile(dir), blindIndexName, NewBlindIndexFile},
		// Its codes live as long as limits do, so it need not be taken over.
		{Trades.BlindIndexFile(dir), "", NewBlindIndexFile},
		{SessionKeyFile(dir), sessionKeyName, newRandomFile},
		{filepath.Join(dir, "codec", "token"), "", newRandomFile},
	}
	for _, kind := range Kinds() {
		files = append(files, newFile{kind.KeysetFile(dir), keysetName, NewKeysetFile})
	}
	return files
}

func (f newFile) make(dir string) error {
	if _, err := os.Stat(f.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	if f.before == "" {
		return f.create(f.path)
	}
	content, err := os.ReadFile(filepath.Join(dir, f.before))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.create(f.path)
	case err != nil:
		return err
	}
	return createFile(f.path, content)
}

// newRandomFile writes a shared secret: 64 hex digits, mode 0600.
func newRandomFile(path string) error { return createFile(path, []byte(NewSecret()+"\n")) }

// RotateFolder is Rotate for every kind. A run that was cut off is completed by
// the next, which adds one more key to those that have one already.
func RotateFolder(dir string) error {
	for _, kind := range Kinds() {
		if err := Rotate(kind.KeysetFile(dir)); err != nil {
			return err
		}
	}
	return nil
}

// DropOldKeysInFolder is DropOldKeys for every kind; it returns how many keys
// there were in all.
func DropOldKeysInFolder(dir string) (int, error) {
	total := 0
	for _, kind := range Kinds() {
		n, err := DropOldKeys(kind.KeysetFile(dir))
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
