package secret

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// NewFolder makes the missing key files below a folder: a folder for each kind
// of data, with a keyset and, for some kinds, a blind index or the key of
// session tokens; the sealing half of ViewKeys; the codec's token; the
// certificates of NewCertificates. It does not change existing files, except a
// sealing half that is behind, so the next run completes an interrupted one.
//
// If the folder contains the files of the former layout (keyset.json,
// payload-keyset.json, blind-index, jwt-secret), the new files begin as copies
// of them. So everything sealed with the former files can be opened, and
// services of both layouts can read each other's data. A rotation then gives
// each kind its own key.
func NewFolder(dir string) error {
	for _, file := range layout(dir) {
		if err := file.make(dir); err != nil {
			return fmt.Errorf("%s: %w", file.path, err)
		}
	}
	if _, err := renewSealingHalf(dir); err != nil {
		return err
	}
	return NewCertificates(dir)
}

type newFile struct {
	path string
	// before is the name of the former file, which was used before there were
	// kinds; empty if there is none.
	before string
	create func(path string) error
}

func layout(dir string) []newFile {
	files := []newFile{
		{Payloads.KeysetFile(dir), "payload-keyset.json", NewKeysetFile},
		{Accounts.BlindIndexFile(dir), blindIndexName, NewBlindIndexFile},
		// Its codes live only as long as rate limits, so no former file is copied.
		{Trades.BlindIndexFile(dir), "", NewBlindIndexFile},
		{SessionKeyFile(dir), sessionKeyName, newRandomFile},
		{filepath.Join(dir, "codec", "token"), "", newRandomFile},
	}
	for _, kind := range Kinds() {
		if kind == ViewKeys {
			// An AEAD keyset of before cannot be parted into halves, so none is copied.
			files = append(files, newFile{kind.KeysetFile(dir), "", newHybridFile})
			continue
		}
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

// RotateFolder is Rotate for every kind. The next run completes an interrupted
// one, and adds one more key to kinds that were already rotated.
func RotateFolder(dir string) error {
	for _, kind := range Kinds() {
		turn := Rotate
		if kind == ViewKeys {
			turn = rotateHybrid
		}
		if err := turn(kind.KeysetFile(dir)); err != nil {
			return err
		}
	}
	_, err := renewSealingHalf(dir)
	return err
}

// DropOldKeysInFolder is DropOldKeys for every kind. It returns the total
// number of dropped keys. It drops none and returns ErrSealingHalf if the sealing
// half was behind, because the merchant API may still seal with an old key.
func DropOldKeysInFolder(dir string) (int, error) {
	switch renewed, err := renewSealingHalf(dir); {
	case err != nil:
		return 0, err
	case renewed:
		return 0, ErrSealingHalf
	}
	total := 0
	for _, kind := range Kinds() {
		n, err := DropOldKeys(kind.KeysetFile(dir))
		if err != nil {
			return total, err
		}
		total += n
	}
	_, err := renewSealingHalf(dir)
	return total, err
}
