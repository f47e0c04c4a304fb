package secret

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASignedTextIsForOneKeyAndPurpose(t *testing.T) {
	t.Parallel()
	type value struct{ Name string }
	key := []byte("a key of some length")
	signed := Sign(key, "session", value{"Anna"})
	var read value
	require.True(t, Unsign(key, "session", signed, &read))
	require.Equal(t, value{"Anna"}, read)
	text, code, _ := strings.Cut(signed, ".")
	other, _, _ := strings.Cut(Sign(key, "session", value{"Bert"}), ".")
	for name, tried := range map[string]struct {
		key             []byte
		purpose, signed string
	}{
		"another key":       {[]byte("another key"), "session", signed},
		"no key":            {nil, "session", Sign(nil, "session", value{"Anna"})},
		"another purpose":   {key, "form", signed},
		"a changed text":    {key, "session", other + "." + code},
		"no signature":      {key, "session", text + "."},
		"nothing":           {key, "session", ""},
		"more than a value": {key, "session", signed + ".x"},
	} {
		require.False(t, Unsign(tried.key, tried.purpose, tried.signed, &value{}), name)
	}
}
