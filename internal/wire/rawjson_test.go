package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/wire"
)

func TestCutLeavesTheRestAsItWasWritten(t *testing.T) {
	t.Parallel()
	deep := []string{"data", "metadata", "buyer_info"}
	for _, c := range []struct {
		raw  string
		path []string
		want string
	}{
		{`{"z":1.10,"buyer_info":{"a":"b"},"a":1e400}`, deep[2:], `{"z":1.10,"a":1e400}`},
		{`{"buyer_info":1}`, deep[2:], `{}`},
		{`{"buyer\u005finfo":1,"a":"\u0000<&>"}`, deep[2:], `{"a":"\u0000<&>"}`},
		{`{"own":{"buyer_info":1}}`, deep[2:], `{"own":{"buyer_info":1}}`},
		{`{"event":"e","data":{"n":0.10,"metadata":{"b":[1, 2],"buyer_info":{}},"id":"x"},"timestamp":"t"}`, deep,
			`{"event":"e","data":{"n":0.10,"metadata":{"b":[1,2]},"id":"x"},"timestamp":"t"}`},
		{`{"data":{"metadata":"buyer_info"}}`, deep, `{"data":{"metadata":"buyer_info"}}`},
		{`{"data":null,"metadata":{"buyer_info":1}}`, deep, `{"data":null,"metadata":{"buyer_info":1}}`},
		{`{}`, deep, `{}`},
	} {
		got, err := wire.Cut([]byte(c.raw), c.path...)
		require.NoError(t, err, c.raw)
		require.Equal(t, c.want, got)
	}
}

func TestWhatIsNotAnObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", "null", "[]", `"x"`, "1", "{", `{"a"`, `{"a":}`} {
		_, err := wire.Members([]byte(raw))
		require.Error(t, err, raw)
	}
}

func TestMembersComeTogetherAgain(t *testing.T) {
	t.Parallel()
	const text = `{"b":"<a>","a":[1.0,{"x":null}],"":{}}`
	members, err := wire.Members([]byte(text))
	require.NoError(t, err)
	require.Len(t, members, 3)
	require.Equal(t, text, wire.Object(members))
}
