package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindPrefersWhatWasBuiltThenTheHighestVersion(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := Program{Name: "server", Package: "server", Places: []string{filepath.Join(root, "lib/*/server")}}
	_, err := p.Find(root)
	require.ErrorIs(t, err, ErrMissing)
	require.ErrorContains(t, err, "package server", "the remedy is named")

	executable(t, filepath.Join(root, "lib/14/server"))
	newer := executable(t, filepath.Join(root, "lib/15/server"))
	requireFound(t, p, root, newer)
	built := executable(t, filepath.Join(root, ".dev/bin/server"))
	requireFound(t, p, root, built)
}

func TestInstallBuildsAToolOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := Program{Name: "tool", Module: "tools/tool", Command: "example.test/tool"}
	write(t, filepath.Join(root, "tools/tool/go.mod"), "module example.test/tool\n\ngo 1.26.0\n", 0o600)
	write(t, filepath.Join(root, "tools/tool/main.go"), "package main\n\nfunc main() {}\n", 0o600)

	var out bytes.Buffer
	require.NoError(t, Install(t.Context(), root, &out, []Program{p}))
	require.Contains(t, out.String(), "building tool", "it says what it does")
	requireFound(t, p, root, filepath.Join(root, ".dev/bin/tool"))

	out.Reset()
	require.NoError(t, Install(t.Context(), root, &out, []Program{p}))
	require.Empty(t, out.String(), "there is nothing left to do")
}

func requireFound(t *testing.T, p Program, root, want string) {
	t.Helper()
	found, err := p.Find(root)
	require.NoError(t, err)
	require.Equal(t, want, found)
}

func executable(t *testing.T, path string) string {
	t.Helper()
	write(t, path, "#!/bin/sh\n", 0o700)
	return path
}

func write(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
}
