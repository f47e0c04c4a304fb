package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWhatOutlivesItsParentIsCounted runs a shell that leaves a child running, and one that
// fails.
func TestWhatOutlivesItsParentIsCounted(t *testing.T) { //nolint:paralleltest // it counts this process's children
	file := filepath.Join(t.TempDir(), "cost")
	spin := "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"
	code, err := measure(file, "leaves a child", []string{"sh", "-c", "(" + spin + ") & exit 0"})
	require.NoError(t, err)
	require.Zero(t, code)
	code, err = measure(file, byFolder, []string{"sh", "-c", "exit 3"})
	require.NoError(t, err)
	require.Equal(t, 3, code)
	code, err = measure(file, "killed", []string{"sh", "-c", "kill -9 $$"})
	require.NoError(t, err)
	require.NotZero(t, code)

	steps, packages, err := read(file)
	require.NoError(t, err)
	require.Len(t, steps, 2)
	require.Len(t, packages, 1)
	require.Greater(t, steps[0].Processor, 0.02, "the child that was left behind")
	require.True(t, strings.HasSuffix(packages[0].Name, filepath.Join("tools", "measure")))

	var table strings.Builder
	require.NoError(t, printTable(&table, file))
	require.Contains(t, table.String(), "leaves a child")
}
