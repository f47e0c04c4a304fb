package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/internal/secret"
)

// keysDir returns the folder of a service's key files, as in a container with its own mounts.
// Without a service it returns the folder with all key files.
func (s *Stack) keysDir(service string) string {
	if service == "" {
		return s.path("secrets")
	}
	return s.path("secrets", "of-"+service)
}

// shareKeys gives each service only the folders of its kinds of data. The links also work in a
// copy of the stack's directory.
func (s *Stack) shareKeys() error {
	for _, service := range []string{secret.Worker, secret.MerchantAPI, secret.SwapAPI} {
		dir := s.keysDir(service)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
		for _, kind := range append(secret.KindsOf(service), secret.Payloads) {
			err := os.Symlink(filepath.Join("..", string(kind)), filepath.Join(dir, string(kind)))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("keys: %w", err)
			}
		}
	}
	return nil
}
