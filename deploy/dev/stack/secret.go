package stack

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// secret returns a generated secret, 64 hex digits. It is generated at its first use.
func (s *Stack) secret(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path("secrets", name)
	b, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("secret: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return hex.EncodeToString(key), writeFile(path, []byte(hex.EncodeToString(key)+"\n"))
}
