package swapquote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// Only a quote that this service sealed can be opened.
func FuzzOpen(f *testing.F) {
	path := f.TempDir() + "/keyset.json"
	require.NoError(f, secret.NewKeysetFile(path))
	box, err := secret.Open(path)
	require.NoError(f, err)
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	ours, err := swapquote.Seal(box, swapquote.Offer{ID: "qt_1", ExpiresAt: now.Add(time.Minute)})
	require.NoError(f, err)
	for _, text := range []string{"", "qt_", ours[:len(ours)-1], ours + "A", "x" + ours, ours + ours, "qt_AAAA"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if text == ours {
			return
		}
		_, err := swapquote.Open(box, text, now)
		require.Error(t, err, text)
	})
}
