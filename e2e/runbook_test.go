package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// follow runs a command as a runbook has it. The last word of the command stands
// for what it is about: about takes its place.
func (w *testbed) follow(t *testing.T, runbook, command, about string) error {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "deploy", "runbooks", runbook))
	require.NoError(t, err)
	require.Contains(t, strings.Join(strings.Fields(string(text)), " "), "`docker compose run --rm admin "+command+"`", "the runbook has no such command")
	words := strings.Fields(command)
	words[len(words)-1] = about
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	_, err = w.Stack.Durapay(ctx, append([]string{"admin"}, words...)...)
	return err
}
