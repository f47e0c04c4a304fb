package e2e

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goGenerator makes a client of a document.
const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// clientProgram is testdata/greenfield, built with a client that was generated just now.
type clientProgram string

func generatedClient(t *testing.T) clientProgram {
	t.Helper()
	spec, err := filepath.Abs("../openapi/greenfield-3.0.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/greenfield")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "client"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module greenfield\n\ngo 1.26\n"), 0o600))
	for _, args := range [][]string{
		{"run", goGenerator, "-generate", "types,client", "-package", "client", "-o", "client/client.go", spec},
		{"mod", "tidy"},
		{"build", "-o", "program", "."},
	} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return clientProgram(filepath.Join(dir, "program"))
}

// clientRun is such a program while it runs.
type clientRun struct {
	cmd    *exec.Cmd
	stdout *bufio.Scanner
	stderr bytes.Buffer
}

func (p clientProgram) start(t *testing.T, args ...string) *clientRun {
	t.Helper()
	r := &clientRun{cmd: exec.CommandContext(t.Context(), string(p), args...)}
	stdout, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	r.stdout, r.cmd.Stderr = bufio.NewScanner(stdout), &r.stderr
	require.NoError(t, r.cmd.Start())
	return r
}

// says returns what follows a word on the next line that the program writes.
func (r *clientRun) says(t *testing.T, word string) string {
	t.Helper()
	if !r.stdout.Scan() {
		_ = r.wait()
		t.Fatalf("it does not say %q: %s", word, r.stderr.String())
	}
	rest, found := strings.CutPrefix(r.stdout.Text(), word+" ")
	require.True(t, found, r.stdout.Text())
	return rest
}

func (r *clientRun) wait() error { return r.cmd.Wait() }
