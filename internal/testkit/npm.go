package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// NPM fetches what a folder of tools/ names in its lock file, where it is not
// here yet, and returns that folder. root leads from the test to the repository. A
// machine without npm skips the test; CI=true makes that an error.
func NPM(t *testing.T, root, tool string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("fetches packages of npm")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		require.Empty(t, os.Getenv("CI"), "npm is needed (package npm, Node.js 20.19 or later)")
		t.Skip("npm is not installed (package npm, Node.js 20.19 or later)")
	}
	root, err := filepath.Abs(root)
	require.NoError(t, err)
	dir := filepath.Join(root, "tools", tool)
	install := exec.CommandContext(t.Context(), "make", "-C", root, "tools/"+tool+"/node_modules/.stamp")
	out, err := install.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}
