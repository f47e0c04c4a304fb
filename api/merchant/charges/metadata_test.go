package charges

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/charge"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/service"
)

func TestMetadataIsKeptDigitForDigit(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``: `{}`, `null`: `{}`, `{}`: `{}`, ` { "a" : [ 1.10 , 1e5 ] } `: `{"a":[1.10,1e5]}`,
		`{"n":123456789012345678901234567890.10}`:             `{"n":123456789012345678901234567890.10}`,
		`{"a":"\u0000\ud83d\ude00 <b>&"}`:                     `{"a":"\u0000\ud83d\ude00 <b>&"}`,
		`{"b":1,"a":2}`:                                       `{"b":1,"a":2}`,
		`{"return_url":"https://a.example/?x=1&y=2","a":1.0}`: `{"return_url":"https://a.example/?x=1&y=2","a":1.0}`,
		`{"a":1.0,"return_url":"javascript:alert(1)","b":2}`:  `{"a":1.0,"b":2}`,
		`{"return_url":7}`:                                    `{}`,
		`{"<a>&\"":1}`:                                        `{"<a>&\"":1}`,
	} {
		m, err := parseMetadata([]byte(in))
		require.NoError(t, err, in)
		require.Equal(t, want, m.text)
	}
	for _, bad := range []string{`[]`, `1`, `"x"`, `true`} {
		_, err := parseMetadata([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestReturnURL(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"https://a.example", "http://a.example:8080/x?y#z", "HTTPS://a.example/"} {
		m, err := parseMetadata([]byte(`{"return_url":"` + good + `"}`))
		require.NoError(t, err)
		require.Equal(t, good, *m.returnURL)
	}
	for _, bad := range []string{"", "a.example", "//a.example", "javascript:alert(1)", "data:text/html,x", "https://", "https:a", "http://a\u0000", "ftp://a.example"} {
		require.Nil(t, service.ReturnURL(bad), bad)
	}
}

func TestOrderID(t *testing.T) {
	t.Parallel()
	order := func(metadata string) *string {
		m, err := parseMetadata([]byte(metadata))
		require.NoError(t, err)
		return m.orderID
	}
	require.Equal(t, "A-1", *order(`{"order_id":"A-1"}`))
	require.Equal(t, "10.50", *order(`{"order_id":10.50}`))
	require.Equal(t, "123456789012345678901234567890", *order(`{"order_id":123456789012345678901234567890}`))
	for _, none := range []string{`{}`, `{"order_id":null}`, `{"order_id":""}`, `{"order_id":true}`, `{"order_id":{"a":1}}`, `{"order_id":["a"]}`} {
		require.Nil(t, order(none), none)
	}
	long := strings.Repeat("x", 5000)
	require.Equal(t, charge.OrderKey(long), *order(`{"order_id":"` + long + `"}`))
	require.Less(t, len(charge.OrderKey(long)), 100, "fits into the index")
	require.Equal(t, charge.OrderKey("a\x00b"), *order(`{"order_id":"a\u0000b"}`))
	require.NotContains(t, charge.OrderKey("a\x00b"), "\x00")
}

// A charge's description comes from the merchant, so it is stored as it was sent. The
// description of a button, which anyone may send, and that of a payment request lose their
// markup.
func TestDescription(t *testing.T) {
	t.Parallel()
	for _, kept := range []string{
		"Two tickets", "Size < 5", "a <b and c> d", "<b>Two</b> <i>tickets</i>", "a<script>alert(1)</script>b", "a<!-- x -->b", " a\nb\tc ", "5 € ü", "&lt;", "a\u202ec",
	} {
		require.Equal(t, kept, *service.Description(kept))
	}
	require.Equal(t, "ab", *service.Description("a\x00b"))
	require.Nil(t, service.Description(" \n"))
	for in, want := range map[string]string{
		"Two tickets": "Two tickets", "Size < 5": "Size < 5", "<b>Two</b> <i>tickets</i>": "Two tickets", "a < b & c > d": "a < b & c > d",
		"a<script>alert(1)</script>b": "ab", "a<style>x</style>b": "ab", "a<!-- x -->b": "ab", "a\x00b\u202ec": "abc",
		" a\nb\tc ": "a b c", "<img src=x onerror=alert(1)>x": "x", "5 € ü": "5 € ü",
	} {
		short, err := service.ShortText("description", &in, service.MaxDescription)
		require.NoError(t, err)
		require.Equal(t, want, *short, in)
	}
	long := service.Description(strings.Repeat("ü", 600))
	require.Equal(t, 500, utf8.RuneCountInString(*long))
}
