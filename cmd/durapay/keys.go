package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/internal/secret"
)

// keygenCmd makes the key files of a new installation.
type keygenCmd struct {
	Dir string `default:"." help:"Folder for the files; those that exist are left alone." type:"path"`
}

// Run writes keyset.json, payload-keyset.json, blind-index and jwt-secret.
func (c *keygenCmd) Run() error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("key folder: %w", err)
	}
	files := map[string]func(string) error{
		"keyset.json":         secret.NewKeysetFile,
		"payload-keyset.json": secret.NewKeysetFile,
		"blind-index":         secret.NewBlindIndexFile,
		"jwt-secret":          newJWTSecret,
	}
	for name, create := range files {
		path := filepath.Join(c.Dir, name)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := create(path); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func newJWTSecret(path string) error {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
}
