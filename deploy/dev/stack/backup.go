package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// Save copies what a part keeps on the disk into a folder, as a backup does. The
// part must not run. What was saved of it there before is replaced.
func (s *Stack) Save(ctx context.Context, name, folder string) error {
	files, err := s.files(name)
	if err != nil {
		return err
	}
	into := filepath.Join(folder, name)
	if err := errors.Join(os.RemoveAll(into), os.MkdirAll(into, 0o700)); err != nil {
		return fmt.Errorf("save %s: %w", name, err)
	}
	for _, file := range files {
		if err := copyTree(ctx, filepath.Join(into, filepath.Base(file)), file); err != nil {
			return fmt.Errorf("save %s: %w", name, err)
		}
	}
	return nil
}

// PutBack lets a part that does not run have what Save copied, and nothing else.
func (s *Stack) PutBack(ctx context.Context, name, folder string) error {
	saved, err := filepath.Glob(filepath.Join(folder, name, "*"))
	if err == nil && len(saved) == 0 {
		err = fmt.Errorf("nothing of %s was saved", name)
	}
	if err != nil {
		return err
	}
	if err := s.Lose(name); err != nil {
		return err
	}
	for _, from := range saved {
		if err := copyTree(ctx, s.path("data", filepath.Base(from)), from); err != nil {
			return fmt.Errorf("put back %s: %w", name, err)
		}
	}
	return nil
}

// Lose takes away what a part keeps on the disk. It must not run.
func (s *Stack) Lose(name string) error {
	files, err := s.files(name)
	for _, file := range files {
		err = errors.Join(err, os.RemoveAll(file))
	}
	return err
}

// files are what a part keeps on the disk: its folder, or files that begin with
// its name.
func (s *Stack) files(name string) ([]string, error) {
	p, err := s.part(name)
	if err != nil {
		return nil, err
	}
	if r, ok := s.record(p.name); ok && r.alive() {
		return nil, fmt.Errorf("%s runs", name)
	}
	if name == temporalPart && s.temporal == programs.TemporalProduction {
		return nil, errors.New("what Temporal's server keeps is in PostgreSQL, not in files of its own")
	}
	folder, err := filepath.Glob(s.path("data", name))
	if err != nil {
		return nil, err
	}
	more, err := filepath.Glob(s.path("data", name+".*"))
	return append(folder, more...), err
}

// Seed asks a spending wallet that runs for the 25 words that it can be made of
// again.
func (s *Stack) Seed(ctx context.Context, name string) (words string, err error) {
	var answer struct {
		Key string `json:"key"`
	}
	err = call(ctx, s.url(name), "query_key", map[string]string{"key_type": "mnemonic"}, &answer)
	return answer.Key, err
}

// RestoreWallet makes the files of a wallet that was lost: of the named keys'
// words, or without words a view-only one of their view key. It knows none of the
// addresses that were made.
func (s *Stack) RestoreWallet(ctx context.Context, name, keys, words string) error {
	if err := s.Lose(name); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path("data", name), 0o700); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	file := s.path("data", name, "wallet")
	if words == "" {
		_, err := s.createWallet(ctx, file, "--generate-from-view-key", s.walletAddress(keys), s.readSecret(keys+"-view-key"))
		return err
	}
	const noPassphrase = ""
	_, err := s.walletCLI(ctx, file, []string{"--restore-deterministic-wallet", "--generate-new-wallet", file}, words, noPassphrase)
	return err
}
