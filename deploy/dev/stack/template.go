package stack

import (
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// sources are the files that determine the content of a template.
//
//go:embed template.go monerod.go wallet.go funding.go litecoind.go
var sources embed.FS

// A template is the state of the chains with all wallets created and funded, stored in the
// user's cache. Making it takes a minute of proof of work and key generation; a new stack
// copies it. So all stacks of a machine have the same wallets, each on a chain of its own.

// chainFiles returns the files that a stack copies from a template, per chain. The last one is
// copied last and marks the copy as complete.
func chainFiles() [][]string {
	var moneroFiles []string
	for _, keys := range []string{"live", "sandbox", "customer", "exchange"} {
		for _, kind := range []string{"-spend-key", "-view-key", "-address", "-wallet", "-wallet.keys"} {
			moneroFiles = append(moneroFiles, filepath.Join("secrets", keys+kind))
		}
	}
	for _, w := range wallets() {
		if w.inTemplate() {
			moneroFiles = append(moneroFiles, filepath.Join("data", w.part))
		}
	}
	return [][]string{
		append(moneroFiles, filepath.Join("data", "monerod")),
		{filepath.Join("secrets", "litecoin-rewards-address"), filepath.Join("data", "litecoind")},
	}
}

// templateParts returns the parts that run while a template is made: the chains, and the
// wallets that mine money. The other wallets read the short chain when they start.
func templateParts() []string {
	return []string{"monerod", "litecoind", "wallet-customer", "wallet-exchange-spend"}
}

// CopyChains gives a stack without chains the chains of the template, which it makes if there
// is none yet. Up calls it first.
func (s *Stack) CopyChains(ctx context.Context) error {
	if s.options.fromScratch || !s.lacks("monerod") && !s.lacks("litecoind") {
		return nil
	}
	if err := programs.Install(ctx, s.root, s.options.Output, Programs(s.temporal, templateParts()...)); err != nil {
		return err
	}
	cache := s.cache()
	unlock, err := Lock(ctx, cache)
	if err != nil {
		return err
	}
	defer unlock()
	template, err := s.template(cache)
	if err != nil {
		return err
	}
	if _, err := os.Stat(template); errors.Is(err, fs.ErrNotExist) {
		if err := s.makeTemplate(ctx, template, cache); err != nil {
			return fmt.Errorf("template of the chains: %w", err)
		}
	}
	now := time.Now()
	if err := os.Chtimes(template, now, now); err != nil {
		return err
	}
	for _, files := range chainFiles() {
		if last := files[len(files)-1]; !s.lacks(filepath.Base(last)) {
			continue
		}
		for _, name := range files {
			if err := copyTree(ctx, s.path(name), filepath.Join(template, name)); err != nil {
				return fmt.Errorf("template of the chains: %w", err)
			}
		}
	}
	return nil
}

// cache returns the folder of templates, in the user's cache next to the compiler's, so that a
// clean checkout finds them too.
func (s *Stack) cache() string {
	dir, err := os.UserCacheDir()
	if err == nil {
		dir = filepath.Join(dir, "durapay-dev")
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return filepath.Join(s.root, ".dev", "cache") // no home: only for this working copy
	}
	return dir
}

// lacks reports whether the stack has a daemon that has no chain yet.
func (s *Stack) lacks(daemon string) bool {
	_, err := os.Stat(s.path("data", daemon))
	return s.has(daemon) && errors.Is(err, fs.ErrNotExist)
}

// template returns the directory of this stack's template. Its name is a hash of everything
// that the template depends on: the sources and the programs.
func (s *Stack) template(cache string) (string, error) {
	hash := sha256.New()
	files, err := sources.ReadDir(".")
	for _, file := range files {
		content, readErr := sources.ReadFile(file.Name())
		err = errors.Join(err, readErr)
		hash.Write(content)
	}
	for _, p := range []programs.Program{programs.Monerod, programs.WalletRPC, programs.WalletCLI, programs.Litecoind} {
		path, findErr := p.Find(s.root)
		info, statErr := os.Stat(path)
		if failed := errors.Join(findErr, statErr); failed != nil {
			return "", errors.Join(err, failed)
		}
		fmt.Fprintln(hash, path, info.Size(), info.ModTime().UnixNano())
	}
	return filepath.Join(cache, fmt.Sprintf("chains-%x", hash.Sum(nil)[:8])), err
}

// unfinishedName is the prefix of the name of an unfinished template.
const unfinishedName = "chains-unfinished-"

// templateLife is how long a template is kept after the last copy.
const templateLife = 7 * 24 * time.Hour

// makeTemplate runs the parts of the chains until the wallets are funded, and keeps their
// files.
func (s *Stack) makeTemplate(ctx context.Context, template string, cache string) error {
	s.log.Info("making wallets and mining money, once for all stacks (a minute)")
	if err := removeUnused(cache); err != nil {
		return err
	}
	unfinished, err := os.MkdirTemp(cache, unfinishedName+"*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(unfinished) }()
	made, err := Open(Options{
		Dir: unfinished, Parts: templateParts(), Private: true, Log: s.log, Output: s.options.Output,
		Env: map[string]string{"DEV_BLOCK_SECONDS": "0"}, fromScratch: true,
	})
	if err != nil {
		return err
	}
	group, upCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return made.Up(upCtx) })
	group.Go(func() error { return made.prepareWallets(upCtx) })
	if err := errors.Join(group.Wait(), made.Stop()); err != nil {
		return err
	}
	return os.Rename(unfinished, template)
}

// prepareWallets creates the files of the wallets that do not run here.
func (s *Stack) prepareWallets(ctx context.Context) error {
	for _, w := range wallets() {
		if !w.inTemplate() || s.has(w.part) {
			continue
		}
		if err := s.prepare(ctx, w.declare()); err != nil {
			return fmt.Errorf("%s: %w", w.part, err)
		}
	}
	return nil
}

// removeUnused removes templates that no stack has copied for a long time, and the remains of
// crashed processes. The cache must be locked.
func removeUnused(cache string) error {
	old, err := filepath.Glob(filepath.Join(cache, "chains-*"))
	if err != nil {
		return err
	}
	for _, dir := range old {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		abandoned := strings.HasPrefix(filepath.Base(dir), unfinishedName)
		if abandoned || time.Since(info.ModTime()) > templateLife {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyTree replaces a file or directory with a copy of another, atomically. The copy has the
// permissions of the original.
func copyTree(ctx context.Context, to, from string) error {
	unfinished := to + ".new"
	if err := errors.Join(os.RemoveAll(unfinished), os.RemoveAll(to)); err != nil {
		return err
	}
	if err := run(exec.CommandContext(ctx, "cp", "-Rp", from, unfinished), "copy"); err != nil {
		return err
	}
	return os.Rename(unfinished, to)
}
