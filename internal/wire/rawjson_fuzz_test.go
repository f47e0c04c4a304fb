package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/wire"
)

// Members of a valid object, put together again, are an object of the same members.
func FuzzMembers(f *testing.F) {
	for _, text := range []string{`{}`, `{"a": 1.0, "b": {"c": []}}`, `{"a":1,"a":2}`, `[]`, `{"a"`, `{} x`, `{"\u0000":"\ud800"}`, "\xff"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		members, err := wire.Members(text)
		if err != nil {
			return
		}
		object := wire.Object(members)
		require.True(t, json.Valid([]byte(object)), "%q", object)
		again, err := wire.Members([]byte(object))
		require.NoError(t, err)
		require.Len(t, again, len(members))
	})
}
