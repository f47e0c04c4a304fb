package testkit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABlockWithAListenerIsNotReserved(t *testing.T) {
	t.Parallel()
	block, err := ReservePorts()
	require.NoError(t, err)
	port, err := block.Port()
	require.NoError(t, err)
	service, err := listenAt(port)
	require.NoError(t, err)
	require.NoError(t, block.Close())
	require.Nil(t, reserve(block.end-blockSize), "a service of a stack that was left running listens in it")
	require.NoError(t, service.Close())
}
