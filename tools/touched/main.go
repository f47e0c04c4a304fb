// The command touched runs the long tests that a change requires:
//
//	go run ./tools/touched -base main
//
// It compares the working tree with the commit at which the branch left the base. -n prints
// the tests and does not run them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	base := flag.String("base", "main", "the commit or branch to compare with")
	list := flag.Bool("n", false, "print the tests and do not run them")
	flag.Parse()
	if err := run(context.Background(), *base, *list); err != nil {
		fmt.Fprintln(os.Stderr, "touched:", err)
		os.Exit(1)
	}
}

// run prints and runs the suites, all of them, and returns an error that names the failed
// ones.
func run(ctx context.Context, base string, list bool) error {
	paths, err := changed(ctx, base)
	if err != nil {
		return err
	}
	called := reasons(paths)
	fmt.Printf("%d paths differ from %s; they call for %d of %d suites\n", len(paths), base, len(called), len(suites))
	var failed []error
	for _, s := range suites {
		why := called[s.name]
		if why == nil {
			continue
		}
		arguments := s.arguments()
		fmt.Printf("%s, because of %s:\n  %s\n", s.name, some(why), shell(arguments))
		if list {
			continue
		}
		cmd := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.name, err))
		}
	}
	return errors.Join(failed...)
}

// shell returns a command in the syntax of a shell.
func shell(arguments []string) string {
	quoted := slices.Clone(arguments)
	for i, a := range quoted {
		if strings.Contains(a, "|") {
			quoted[i] = "'" + a + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// some returns the first names of a list.
func some(names []string) string {
	const shown = 3
	if len(names) > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
	}
	return strings.Join(names, ", ")
}

// changed lists the paths that differ from the base, including files that git does not track
// yet.
func changed(ctx context.Context, base string) (paths []string, err error) {
	for _, arguments := range [][]string{
		{"diff", "--name-only", "--no-renames", "--merge-base", "-z", base, "--"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := exec.CommandContext(ctx, "git", arguments...).Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w", strings.Join(arguments, " "), err)
		}
		paths = append(paths, strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })...)
	}
	return paths, nil
}

// reasons returns, for each suite, the paths that require it.
func reasons(paths []string) map[string][]string {
	called := map[string][]string{}
	for _, p := range paths {
		for _, name := range suitesOf(p) {
			called[name] = append(called[name], p)
		}
	}
	return called
}

// suitesOf returns the suites of the nearest row above a path.
func suitesOf(p string) []string {
	for ; p != "."; p = path.Dir(p) {
		for _, r := range rows {
			if slices.Contains(r.paths, p) || slices.Contains(r.paths, p+"/...") {
				return r.suites
			}
		}
	}
	return nil
}

// arguments returns the command of a suite. It disables go test's cache, because go test does
// not see the programs and scripts that a test runs.
func (s suite) arguments() []string {
	if s.command != nil {
		return s.command
	}
	return append([]string{"go", "test", "-count=1", "-timeout=60m", "-run=" + s.tests}, s.packages...)
}
