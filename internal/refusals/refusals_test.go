package refusals_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/refusals"
)

func TestARefusalHasItsCodeAndText(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("create: %w", refusals.New(refusals.Amount, "the amount is too small"))
	code, ok := refusals.Of(err)
	require.True(t, ok)
	require.Equal(t, refusals.Amount, code)
	require.True(t, refusals.Is(err, refusals.Amount))
	require.False(t, refusals.Is(err, refusals.Missing))
	require.Equal(t, "the amount is too small", refusals.Text(err))
}

// TestAFaultIsNoRefusal has faults as Temporal hands them on: with the type of
// the Go error, which may even be a code.
func TestAFaultIsNoRefusal(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		nil, errors.New("away"), temporal.NewApplicationError("away", "ConnectError"), temporal.NewApplicationError("away", refusals.Amount),
	} {
		_, ok := refusals.Of(err)
		require.False(t, ok, "%v", err)
		require.False(t, refusals.Is(err, refusals.Amount), "%v", err)
		require.Empty(t, refusals.Text(err))
	}
}
