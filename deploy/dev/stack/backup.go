package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// Save copies a part's files into a folder, as a backup does. The part must not be running. An
// earlier copy of the part in the folder is replaced.
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

// PutBack replaces the files of a part that is not running with those that Save copied.
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

// Lose removes a part's files. The part must not be running.
func (s *Stack) Lose(name string) error {
	files, err := s.files(name)
	for _, file := range files {
		err = errors.Join(err, os.RemoveAll(file))
	}
	return err
}

// files returns a part's files: its folder, or the files that begin with its name.
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

// Seed returns the 25 words of a running spending wallet, from which the wallet can be
// restored.
func (s *Stack) Seed(ctx context.Context, name string) (words string, err error) {
	var answer struct {
		Key string `json:"key"`
	}
	err = call(ctx, s.url(name), "query_key", map[string]string{"key_type": "mnemonic"}, &answer)
	return answer.Key, err
}

// RestoreWallet restores the files of a lost wallet from its words. The wallet knows none of
// the addresses that were created.
func (s *Stack) RestoreWallet(ctx context.Context, name, words string) error {
	if err := s.Lose(name); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path("data", name), 0o700); err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	file := s.path("data", name, "wallet")
	const noPassphrase = ""
	_, err := s.walletCLI(ctx, file, []string{"--restore-deterministic-wallet", "--generate-new-wallet", file}, words, noPassphrase)
	return err
}
