package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

func TestNoPortIsGivenTwice(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for range 100 {
		port := testkit.Port(t)
		require.False(t, seen[port])
		require.True(t, testkit.IsFree(port))
		seen[port] = true
	}
	other, err := testkit.ReservePorts()
	require.NoError(t, err)
	n := 0
	for {
		port, err := other.Port()
		if err != nil {
			require.ErrorIs(t, err, testkit.ErrNoPort)
			break
		}
		require.False(t, seen[port], "the blocks of this process are its own")
		n++
	}
	require.Positive(t, n)
	require.NoError(t, other.Close())
	require.NoError(t, other.Close(), "whoever stops twice has stopped")
}

func TestAPortWithAListenerIsNotFree(t *testing.T) {
	t.Parallel()
	block, err := testkit.ReservePorts()
	require.NoError(t, err)
	port, err := block.Port()
	require.NoError(t, err)
	require.False(t, testkit.IsFree(port-1), "its owner listens on a block's first port")
	require.NoError(t, block.Close())
}
