package payout_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/payout"
)

func TestHeldUntil(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	require.Nil(t, payout.HeldUntil(nil, end))
	require.Equal(t, &end, payout.HeldUntil(&end, end.Add(-time.Millisecond)))
	require.Nil(t, payout.HeldUntil(&end, end))
}
