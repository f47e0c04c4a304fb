package charges

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/charge"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
)

// FuzzMetadata checks that metadata is stored as it was sent, apart from white space and a
// return_url that is not a URL. Storing it a second time changes nothing.
func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"order_id":"A-1","return_url":"https://shop.example.com/","description":"<b>Two</b> tickets"}`, `{"return_url":"javascript:alert(1)"}`,
		`{"return_url":"HTTPS://x"}`, `{"return_url":"http://"}`, `{"order_id":1.10}`, `{"order_id":true}`, `{"n":1E+2,"m":0.10,"o":-0}`, `{"a":"\u0000\ud83d\ude00"}`,
		`{"a":{"b":[1, 2 ,{"c":null}]}}`, `null`, ``, `[]`, `{"":1}`, `{"description":"<<b>script>alert(1)</script>"}`, `{"description":"<script>1</script>2<style>3</style>"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b httpapi.Body[struct {
			Metadata json.RawMessage `json:"metadata"`
		}]
		b.Keep(slices.Concat([]byte(`{"metadata":`), raw, []byte("}")))
		if b.Decode() != nil {
			return // never reaches the metadata
		}
		m, err := parseMetadata(b.Value().Metadata)
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(m.text)), m.text)
		again, err := parseMetadata([]byte(m.text))
		require.NoError(t, err, m.text)
		require.Subset(t, m.unused, again.unused, "a return_url that was dropped is not there to be named again")
		again.unused = m.unused
		require.Equal(t, m, again)
		requireKept(t, b.Value().Metadata, m)
		if m.description != nil {
			require.LessOrEqual(t, utf8.RuneCountInString(*m.description), service.MaxDescription)
			require.Equal(t, m.description, service.Description(*m.description))
		}
		if m.orderID != nil {
			require.LessOrEqual(t, len(*m.orderID), charge.MaxOrderText)
			require.NotContains(t, *m.orderID, "\x00")
		}
	})
}

// requireKept compares every value as text, digit for digit.
func requireKept(t *testing.T, raw []byte, m metadata) {
	t.Helper()
	var before, after map[string]json.RawMessage
	if len(raw) > 0 {
		require.NoError(t, json.Unmarshal(raw, &before))
	}
	require.NoError(t, json.Unmarshal([]byte(m.text), &after))
	if m.returnURL == nil {
		delete(before, "return_url")
	} else {
		u, err := url.Parse(*m.returnURL)
		require.NoError(t, err)
		require.Contains(t, []string{"http", "https"}, u.Scheme)
		require.NotEmpty(t, u.Hostname())
	}
	require.Len(t, after, len(before))
	for name, value := range before {
		var plain bytes.Buffer
		require.NoError(t, json.Compact(&plain, value))
		require.Equal(t, plain.String(), string(after[name]), name)
	}
}
