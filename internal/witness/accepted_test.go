package witness_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/witness"
)

// TestWhatWasAcceptedAndIsMinedAfterAllIsAskedAbout: a recorded transaction is in no block
// and no pool, so it is accepted and its debt is paid again. Another daemon had its bytes,
// and a block has it later: the wallet does nothing before an operator has decided.
func TestWhatWasAcceptedAndIsMinedAfterAllIsAskedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	lost, waiting := entry(1), entry(2)
	lost.Purpose, waiting.Purpose = "consolidation", "consolidation"
	for _, e := range []witness.Entry{lost, waiting} {
		require.NoError(t, b.file.Raise(ctx, witness.Mark{Sends: e.Seq}, &e))
	}
	b.chain.Miss(lost.TxHash)
	b.chain.Wait(waiting.TxHash)
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	r := b.recoverer()
	r.Accept = []string{witness.AcceptAll}
	done, err := r.Apply(ctx, wallet)
	require.NoError(t, err)
	require.True(t, done.Ended, done.Sends)
	b.chain.Show(witness.Sent{TxHash: waiting.TxHash, Height: 9})
	require.NoError(t, b.keeper.Compare(ctx, wallet))

	b.chain.Show(witness.Sent{TxHash: lost.TxHash, Height: 9})
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	for n := range 2 {
		done, err = r.Apply(ctx, wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended, done.Sends)
	}
	require.NoError(t, b.keeper.Compare(ctx, wallet))
}
