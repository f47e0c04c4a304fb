package swapquote_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

func newBox(t *testing.T) (*secret.Box, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keyset.json")
	require.NoError(t, secret.NewKeysetFile(path))
	box, err := secret.Open(path)
	require.NoError(t, err)
	return box, path
}

func offer(t *testing.T, now time.Time) swapquote.Offer {
	t.Helper()
	from, _ := coin.Find("xmr", "")
	to, ok := coin.Find("usdt", "trc20")
	require.True(t, ok)
	low := money.MustDecimal("0.05")
	return swapquote.Offer{
		ID: "qt_1", Provider: "house", From: from, To: to, Amount: money.MustDecimal("1.123456789012"), AmountTo: money.MustDecimal("171.5"),
		Rate: money.MustDecimal("152.653412345678901234"), Min: &low, ETA: 22 * time.Minute, Route: "behind", Reference: "ref", ExpiresAt: now.Add(time.Minute),
	}
}

func text(t *testing.T, o swapquote.Offer) string {
	t.Helper()
	b, err := json.Marshal(o)
	require.NoError(t, err)
	return string(b)
}

func TestAQuoteComesBackAsItWasOffered(t *testing.T) {
	t.Parallel()
	box, path := newBox(t)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	made := offer(t, now)
	id, err := swapquote.Seal(box, made)
	require.NoError(t, err)
	require.Regexp(t, `^[A-Za-z0-9_-]+$`, id)
	require.LessOrEqual(t, len(id), swapquote.MaxToken)
	again, err := swapquote.Seal(box, made)
	require.NoError(t, err)
	require.NotEqual(t, id, again, "nobody sees that two offers are the same")

	got, err := swapquote.Open(box, id, now)
	require.NoError(t, err)
	require.Equal(t, text(t, made), text(t, got))
	require.Equal(t, []coin.Coin{made.From, made.To}, []coin.Coin{got.From, got.To})

	require.NoError(t, secret.Rotate(path))
	_, err = swapquote.Open(box, id, now.Add(time.Minute-time.Nanosecond))
	require.NoError(t, err, "until its last moment, and over a rotation of the keys")
	_, err = swapquote.Open(box, id, now.Add(time.Minute))
	require.ErrorIs(t, err, swapquote.ErrExpired)
}

func TestWhatIsNotOurQuoteIsForeign(t *testing.T) {
	t.Parallel()
	box, _ := newBox(t)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	id, err := swapquote.Seal(box, offer(t, now))
	require.NoError(t, err)
	other, _ := newBox(t)
	_, err = swapquote.Open(other, id, now)
	require.ErrorIs(t, err, swapquote.ErrForeign, "of another service")

	foreign := []string{"", " ", "x", id + "=", id + "\n", id[:len(id)-4], id + "AAAA", "é", "\xff", strings.Repeat("A", swapquote.MaxToken+1)}
	for i := range id { // change one character
		c := byte('A')
		if id[i] == c {
			c = 'B'
		}
		foreign = append(foreign, id[:i]+string(c)+id[i+1:])
	}
	column, err := box.Seal([]byte(`{"id":"x"}`), secret.AD{Table: "trades", Column: "proof", ID: "1"})
	require.NoError(t, err)
	foreign = append(foreign, string(column))
	for _, text := range foreign {
		_, err := swapquote.Open(box, text, now)
		require.ErrorIs(t, err, swapquote.ErrForeign, "%q", text)
	}
	gone := offer(t, now)
	gone.To.Ticker = "gone"
	id, err = swapquote.Seal(box, gone)
	require.NoError(t, err)
	_, err = swapquote.Open(box, id, now)
	require.ErrorIs(t, err, swapquote.ErrForeign, "of a coin that is not known any more")
}
