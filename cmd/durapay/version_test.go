package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

// TestVersionIsPrintedAlone runs the command without any setting.
func TestVersionIsPrintedAlone(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "version")
	cmd.Env = []string{asCommand + "=1"}
	printed, err := cmd.Output()
	require.NoError(t, err)
	require.Equal(t, config.Version+"\n", string(printed))
}
