package stack

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// record is the stored state of a started part.
type record struct {
	process
	// Fingerprint is the fingerprint of the part's command.
	Fingerprint string `json:"fingerprint"`
	// Settled is set when the part's start is complete.
	Settled bool `json:"settled"`
	// Settings are the caller's variables at that time.
	Settings map[string]string `json:"settings,omitempty"`
}

func (s *Stack) recordFile(name string) string { return s.path("run", name+".json") }

func (s *Stack) record(name string) (record, bool) {
	var r record
	b, err := os.ReadFile(s.recordFile(name))
	if err != nil || json.Unmarshal(b, &r) != nil {
		return record{}, false
	}
	return r, true
}

func (s *Stack) keep(name string, r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return writeFile(s.recordFile(name), b)
}

func (s *Stack) forget(name string) error {
	err := os.Remove(s.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return writeFile(to, content)
}

// writeFile replaces a file atomically, so that a reader sees all or nothing. It does not
// touch a file with the same content. Only the owner may read the file.
func writeFile(path string, content []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

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
