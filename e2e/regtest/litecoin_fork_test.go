package regtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/regtest"
	"github.com/durapay/durapay/internal/utxo"
	"github.com/durapay/durapay/internal/watch"
)

// A listener at the first daemon is not counted as one of the two, and still
// receives hints while they are parted.
func TestWhoListensIsNotParted(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := stack.ForTest(t, stack.Options{Parts: []string{"litecoind", "litecoind-fork"}})
	here, err := utxo.New(utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"]}, utxo.Options{})
	require.NoError(t, err)
	defer here.Close()
	fork, err := regtest.NewLitecoinFork(ctx, s.Env()["LITECOIN_RPC_URL"], s.LitecoinForkURL(), s.Addr("litecoind-fork-p2p"))
	require.NoError(t, err)
	defer fork.Close()
	hints := watch.NodePublisher(s.Addr("litecoind-p2p"), [4]byte{0xfa, 0xbf, 0xb5, 0xda}).Listen(ctx)
	heard := func() {
		t.Helper()
		select {
		case <-hints.Waiting():
		case <-time.After(8 * time.Minute):
			require.Fail(t, "there is no hint", "%v", hints.Err())
		}
		require.NoError(t, hints.Err())
	}
	heard()
	for range 2 {
		require.NoError(t, fork.Join(ctx))
		require.NoError(t, fork.Part(ctx))
		hints.Take()
		require.NoError(t, s.MineLitecoin(ctx, 1))
		heard()
		require.NoError(t, fork.Outgrow(ctx, 2))
		before, err := here.Info(ctx)
		require.NoError(t, err)
		require.NoError(t, fork.Join(ctx))
		heard()
		after, err := here.Info(ctx)
		require.NoError(t, err)
		require.Equal(t, before.Blocks+2, after.Blocks, "they were parted, and are joined")
	}
}
