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
	if !readJSON(s.recordFile(name), &r) {
		return record{}, false
	}
	return r, true
}

func (s *Stack) keep(name string, r record) error { return writeJSON(s.recordFile(name), r) }

func (s *Stack) forget(name string) error {
	err := os.Remove(s.recordFile(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// readJSON reports whether a file was there and could be read.
func readJSON(path string, into any) bool {
	b, err := os.ReadFile(path)
	return err == nil && json.Unmarshal(b, into) == nil
}

func writeJSON(path string, value any) error {
	b, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return writeFile(path, b)
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

// makeSecret generates a secret, 64 hex digits, unless it exists.
func (s *Stack) makeSecret(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := s.path("secrets", name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return writeFile(path, []byte(hex.EncodeToString(key)+"\n"))
}

// secret returns a secret, or another value that was stored like one; empty if there is none.
func (s *Stack) secret(name string) string {
	b, err := os.ReadFile(s.path("secrets", name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
