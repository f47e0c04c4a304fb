package main

import (
	"fmt"
	"os"

	"github.com/durapay/durapay/internal/secret"
)

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
