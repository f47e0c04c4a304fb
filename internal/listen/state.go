package listen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/internal/secret"
)

// State is what stays between two runs with the same key at the same address.
type State struct {
	// Secret signs the events that are posted. It is made once.
	Secret string `json:"secret"`
	// Cursor is where the last run stopped.
	Cursor string `json:"cursor"`

	file string
}

// OpenState reads the state of a key at an address, below a folder of the developer's
// own, and creates it where there is none. Only the developer may read the file.
func OpenState(folder, base, key string) (*State, error) {
	sum := sha256.Sum256([]byte(base + " " + key))
	s := &State{file: filepath.Join(folder, "durapay", "listen-"+hex.EncodeToString(sum[:8])+".json")}
	raw, err := os.ReadFile(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Secret = secret.NewSecret()
		return s, s.Save("")
	case err != nil:
		return nil, err
	}
	return s, json.Unmarshal(raw, s)
}

// Save keeps a cursor.
func (s *State) Save(cursor string) error {
	if cursor == s.Cursor && cursor != "" {
		return nil
	}
	s.Cursor = cursor
	raw, err := json.Marshal(s) //nolint:gosec // the file is the developer's own
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o700); err != nil {
		return err
	}
	whole := s.file + ".new"
	if err := os.WriteFile(whole, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, s.file)
}
