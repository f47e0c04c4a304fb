package secret

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASealedTextIsForOneKeyAndPurpose(t *testing.T) {
	t.Parallel()
	key, other := Derived([]byte("x"), "a"), Derived([]byte("x"), "b")
	sealed := SealText(key, "session", "Anna")
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "Anna")
	require.NotEqual(t, sealed, SealText(key, "session", "Anna"), "each has a nonce of its own")
	var read string
	require.True(t, UnsealText(key, "session", sealed, &read))
	require.Equal(t, "Anna", read)
	for name, tried := range map[string]struct {
		key             []byte
		purpose, sealed string
	}{
		"another key": {other, "session", sealed}, "another purpose": {key, "form", sealed}, "nothing": {key, "session", ""},
		"less": {key, "session", sealed[:len(sealed)-2]}, "more": {key, "session", sealed + "AA"}, "no text": {key, "session", "!" + sealed},
	} {
		require.False(t, UnsealText(tried.key, tried.purpose, tried.sealed, &read), name)
	}
	for i := range raw {
		raw[i] ^= 1
		require.False(t, UnsealText(key, "session", base64.RawURLEncoding.EncodeToString(raw), &read), "byte %d changed", i)
		raw[i] ^= 1
	}
	require.Panics(t, func() { SealText([]byte("short"), "session", "x") })
}
