package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
)

// openBox opens the keysets that a service needs, or the single keyset of an installation that
// uses one for everything.
func openBox(keys config.Keys, service string) (*secret.Box, error) {
	if keys.KeysetFile != "" {
		return secret.Open(keys.KeysetFile)
	}
	return secret.OpenFolder(keys.KeysDir, secret.KindsOf(service)...)
}

func openCodec(keys config.Keys) (*secret.PayloadCodec, error) {
	return secret.NewPayloadCodec(cmp.Or(keys.PayloadKeysetFile, secret.Payloads.KeysetFile(keys.KeysDir)))
}

func openIndex(keys config.Keys, kind secret.Kind) (*secret.BlindIndex, error) {
	return secret.OpenBlindIndex(cmp.Or(keys.BlindIndexFile, kind.BlindIndexFile(keys.KeysDir)))
}

func readSessionKey(keys config.Keys) (string, error) {
	return config.ReadSecret(cmp.Or(keys.JWTSecretFile, secret.SessionKeyFile(keys.KeysDir)))
}

// rotate adds a new primary key to every keyset.
func rotate(keys config.Keys) error {
	if keys.KeysetFile != "" {
		return secret.Rotate(keys.KeysetFile)
	}
	return secret.RotateFolder(keys.KeysDir)
}

// dropOldKeys removes all keys except the primary ones.
func dropOldKeys(keys config.Keys) (int, error) {
	if keys.KeysetFile != "" {
		return secret.DropOldKeys(keys.KeysetFile)
	}
	return secret.DropOldKeysInFolder(keys.KeysDir)
}

// keygenCmd creates the missing key files of an installation.
type keygenCmd struct {
	Dir string `default:"." help:"Folder for the files; those that exist are left alone." type:"path"`
}

// Run creates a folder of key files for each kind of data, the certificates for connections to
// Temporal, and the codec's token.
func (c *keygenCmd) Run() error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("key folder: %w", err)
	}
	return secret.NewFolder(c.Dir)
}
