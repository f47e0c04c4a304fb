package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/fixture"
)

// crowdCopy is where a stack with many open charges is kept between runs: opening
// them takes longer than all that is measured among them.
type crowdCopy struct{ dir string }

const (
	// copyPrefix begins the names of the copies, in the directory of the templates of
	// stacks.
	copyPrefix = "bench-open-"
	// copyLife is how long an unused copy is kept.
	copyLife = 7 * 24 * time.Hour
)

// crowdSources are the directories whose content decides whether a copy can still be
// used, because their code writes the database and the histories.
func crowdSources() []string {
	return []string{"workflows", "activities", "internal/postgres/migrations", "internal/secret", "internal/witness", "deploy/dev/stack", "e2e/bench/crowd.go"}
}

// keptCrowd is the place of a stack with so many open charges.
func keptCrowd(open int) crowdCopy {
	sum := sha256.New()
	fmt.Fprintln(sum, open, fixture.Must(programs.ChosenTemporal()))
	for _, root := range crowdSources() {
		if err := filepath.WalkDir(root, hashInto(sum)); err != nil {
			fixture.Failf("the sources of open charges: %w", err)
		}
	}
	return crowdCopy{filepath.Join(fixture.Must(os.UserCacheDir()), "durapay-dev", copyPrefix+hex.EncodeToString(sum.Sum(nil)[:8]))}
}

func hashInto(sum io.Writer) fs.WalkDirFunc {
	return func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(sum, "%s %d %s\n", path, len(content), content)
		return err
	}
}

// take copies the kept stack into a directory; false when there is none.
func (k crowdCopy) take(ctx context.Context, dir string) bool {
	_, err := os.Stat(k.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	fixture.Do(err)
	now := time.Now()
	fixture.Do(os.Chtimes(k.dir, now, now))
	fixture.Do(copyAll(ctx, k.dir+"/.", dir))
	fixture.Reportf("the open charges of an earlier run are taken from %s", k.dir)
	return true
}

// keep stops the stack, copies it, and starts it again. A stack whose database is in
// another place is not kept.
func (k crowdCopy) keep(ctx context.Context, w *testbed) {
	begun := time.Now()
	if _, err := os.Stat(filepath.Join(w.Stack.Dir(), "data", "postgres", "cluster")); err != nil {
		fixture.Reportf("the open charges are not kept: %v", err)
		return
	}
	w.stopParts(ctx)
	if err := k.copyFrom(ctx, w.Stack.Dir()); err != nil {
		fixture.Reportf("the open charges are not kept: %v", err)
	} else {
		fixture.Reportf("the open charges are kept in %s, after %s", k.dir, time.Since(begun).Round(time.Second))
	}
	w.up(ctx)
}

// stopParts ends all parts in an orderly way: parts that need other parts come first.
func (w *testbed) stopParts(ctx context.Context) {
	w.db.Reset()
	parts := w.Stack.Status(ctx)
	slices.Reverse(parts)
	order := []string{"merchant-api", "worker", "temporal"}
	for _, p := range parts {
		if !slices.Contains(order, p.Name) {
			order = append(order, p.Name)
		}
	}
	for _, name := range order {
		fixture.Do(w.Stack.StopPart(ctx, name))
	}
}

func (k crowdCopy) copyFrom(ctx context.Context, dir string) error {
	k.removeOld()
	unfinished := k.dir + ".new"
	if err := errors.Join(os.RemoveAll(unfinished), os.RemoveAll(k.dir), os.MkdirAll(unfinished, 0o755)); err != nil { //nolint:gosec // the database has another user
		return err
	}
	for _, name := range []string{"data", "secrets"} {
		if err := copyAll(ctx, filepath.Join(dir, name), unfinished); err != nil {
			return errors.Join(err, os.RemoveAll(unfinished))
		}
	}
	return os.Rename(unfinished, k.dir)
}

func (k crowdCopy) removeOld() {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(k.dir), copyPrefix+"*")) // the pattern is well formed
	for _, dir := range all {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > copyLife {
			_ = os.RemoveAll(dir)
		}
	}
}

func copyAll(ctx context.Context, from, to string) error {
	if out, err := exec.CommandContext(ctx, "cp", "-Rp", "--reflink=auto", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, out)
	}
	return nil
}
