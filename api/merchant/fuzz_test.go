package merchant

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
)

// FuzzBody: a body that is taken is one JSON object as everybody else reads
// it, its amount the same to the last digit; any other is a bad request.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"amount":49.90,"currency":"USD","metadata":{"order_id":"A-1","n":1.10}}`, `{"amount":1e2,"expires_in":0.5}`, `{"AMOUNT":1}`, `{"amount":1,"amount":2}`,
		`{"amount":"1"}`, `{"amount":null,"metadata":null}`, `{"metadata":{"a":1,"a":2}}`, `{"a\u0000":1}`, `{}`, `[]`, "\ufeff{}", `{"expires_at":"2027-01-01T00:00:00Z"}`,
		`{"amount":1}x`, `{"currency":"\ud800"}`, "{\"currency\":\"\xff\"}", `{"amount":0.1e-0}`, `{"amount":-0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b body[newCharge]
		b.keep(raw)
		got, err := b.read()
		if err != nil {
			var refused *problem
			require.ErrorAs(t, err, &refused)
			require.Equal(t, http.StatusBadRequest, refused.status)
			require.True(t, utf8.ValidString(refused.Text))
			return
		}
		require.True(t, utf8.Valid(raw))
		var other struct {
			Amount *json.Number `json:"amount"`
		}
		members := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(raw, &members), "%s", raw)
		exact, err := json.Marshal(map[string]json.RawMessage{"amount": members["amount"]})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(exact, &other), "%s", raw)
		require.Equal(t, other.Amount == nil, got.Amount == nil, "%s", raw)
		if got.Amount != nil {
			require.Zero(t, money.MustDecimal(other.Amount.String()).Cmp(*got.Amount), "%s", raw)
		}
	})
}

// FuzzMetadata: metadata is kept as it was sent but for white space and a
// return_url that is not one, and keeping it again changes nothing.
func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"order_id":"A-1","return_url":"https://shop.example.com/","description":"<b>Two</b> tickets"}`, `{"return_url":"javascript:alert(1)"}`,
		`{"return_url":"HTTPS://x"}`, `{"return_url":"http://"}`, `{"order_id":1.10}`, `{"order_id":true}`, `{"n":1E+2,"m":0.10,"o":-0}`, `{"a":"\u0000\ud83d\ude00"}`,
		`{"a":{"b":[1, 2 ,{"c":null}]}}`, `null`, ``, `[]`, `{"":1}`, `{"description":"<<b>script>alert(1)</script>"}`, `{"description":"<script>1</script>2<style>3</style>"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b body[struct {
			Metadata json.RawMessage `json:"metadata"`
		}]
		b.keep(slices.Concat([]byte(`{"metadata":`), raw, []byte("}")))
		sent, err := b.read()
		if err != nil {
			return // never reaches the metadata
		}
		m, err := parseMetadata(sent.Metadata)
		if err != nil {
			return
		}
		require.True(t, json.Valid([]byte(m.text)), m.text)
		again, err := parseMetadata([]byte(m.text))
		require.NoError(t, err, m.text)
		require.Equal(t, m, again)
		requireKept(t, sent.Metadata, m)
		if m.description != nil {
			require.LessOrEqual(t, utf8.RuneCountInString(*m.description), maxDescription)
			require.Equal(t, m.description, description(*m.description))
		}
		if m.orderID != nil {
			require.LessOrEqual(t, len(*m.orderID), maxOrderText)
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

// FuzzPlainText: what is shown to customers holds no tag and no control
// character.
func FuzzPlainText(f *testing.F) {
	for _, seed := range []string{
		"<b>Two</b> tickets", "<<b>b>", "<script>x</script>y", "a < b > c", "<", "<!-- x -->y", "<![CDATA[x]]>", "&lt;b&gt;", "<style>", "<textarea><b>", "<title><b>", "<plaintext><b>", "a\u202eb", "\x00", "<a\n>x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // refused with the body
		}
		plain := plainText(text)
		require.Equal(t, plain, plainText(plain), "%q became %q", text, plain)
		require.NotContains(t, plain, "\n")
		require.NotContains(t, plain, "\x00")
	})
}

// FuzzForm: a form is the JSON object of its inputs: texts stay texts, numbers
// are numbers, and nothing is added.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"amount=8.5&currency=EUR&fields=a&fields=b&submit=Pay", "amount=+1+", "amount=x", "amount=1,2", "amount=%22%22", "amount={}", "a=1&a=2", "a=%ff", "%zz", "a=1;b=2", "", "&&", "=x", "a", "amount=1%2C%22merchant_id%22%3A%22x%22",
	} {
		f.Add([]byte(seed))
	}
	button := &form{numbers: []string{"amount", "expires_in"}, lists: []string{"fields"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := button.object(raw)
		if err != nil {
			var refused *problem
			require.ErrorAs(t, err, &refused)
			require.Equal(t, http.StatusBadRequest, refused.status)
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(object, &members), "%s", object)
		inputs, err := url.ParseQuery(string(raw))
		require.NoError(t, err)
		for name, value := range members {
			sent := strings.Join(inputs[name], ",")
			var text string
			if json.Unmarshal(value, &text) == nil && !slices.Contains(button.numbers, name) {
				require.Equal(t, sent, text)
				continue
			}
			require.Contains(t, button.numbers, name, "%s", object)
			require.Equal(t, strings.TrimSpace(sent), string(value))
		}
	})
}

// FuzzClientIP: without a trusted proxy the peer is the client, whatever it
// claims; with one, what stands left of the first address that nobody vouches
// for changes nothing. A client is an IPv4 address or the /64 network of an
// IPv6 address, and so is every other address of that network.
func FuzzClientIP(f *testing.F) {
	f.Add("203.0.113.7", "10.0.0.1:4711")
	f.Add("1.1.1.1, 203.0.113.7, 10.0.0.2", "10.0.0.1:4711")
	f.Add("::ffff:203.0.113.7", "[::1]:1")
	f.Add("unknown, 203.0.113.7:80", "10.0.0.1:4711")
	f.Add(",,, ,", "10.0.0.1:4711")
	f.Add("fe80::1%eth0", "10.0.0.1:4711")
	f.Add("2001:db8:1:2:3:4:5:6", "10.0.0.1:4711")
	f.Add("203.0.113.7", "[2001:db8:1:2::7]:4711")
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, forwarded, peer string) {
		asked := func(forwarded string, by []netip.Prefix) string {
			return web.ClientIP(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}}, by)
		}
		require.Equal(t, asked("", nil), asked(forwarded, nil))
		client := asked(forwarded, trusted)
		addr, err := netip.ParseAddr(client)
		if network, wide := netip.ParsePrefix(client); wide == nil {
			addr, err = network.Addr(), nil
			require.True(t, addr.Is6())
			require.False(t, addr.Is4In6(), "one client has one address")
			require.Equal(t, 64, network.Bits())
			require.Equal(t, network.Masked(), network)
			bytes := addr.As16()
			bytes[8], bytes[15] = 0xab, 0x01
			neighbour := &http.Request{RemoteAddr: netip.AddrPortFrom(netip.AddrFrom16(bytes), 1).String()}
			require.Equal(t, client, web.ClientIP(neighbour, nil), "a network is one client")
		} else if err == nil {
			require.True(t, addr.Is4(), "%s is a client of its own", client)
		}
		if err != nil {
			require.Equal(t, peer, client)
			return
		}
		if !trusted[0].Contains(addr) {
			require.Equal(t, client, asked("8.8.8.8, "+forwarded, trusted), "a claim further left counts for nothing")
		}
	})
}

// FuzzLimit: the length of a list is a whole number from 1 to the most.
func FuzzLimit(f *testing.F) {
	for _, seed := range []string{"1", "0", "-1", "007", "200", "201", "99999999999999999999999", "1e2", "+5", " 5", "٣", "", "0x10", "1_0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := query{url.Values{"limit": {text}}}
		n, err := q.limit(200)
		digits := text != "" && strings.Trim(text, "0123456789") == "" && strings.Trim(text, "0") != ""
		require.Equal(t, digits, err == nil, "%q", text)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, n, int32(1))
		require.LessOrEqual(t, n, int32(200))
		exact, err := money.ParseDecimal(strings.TrimLeft(text, "0"))
		if err == nil && exact.Cmp(money.DecimalFromInt(200)) <= 0 {
			require.Equal(t, exact.String(), money.DecimalFromInt(int64(n)).String())
		}
	})
}

// FuzzIdentifiers: an identifier of a path is looked up only when it has the
// form of one.
func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{"ch_0123456789abcdef01234567", "ch_0123456789abcdef01234567\n", "ch_0123456789ABCDEF01234567", "wh_x", "wh_", "wh_\x00", "whd_1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if chargeID.MatchString(id) {
			require.Len(t, id, 27)
			require.Empty(t, strings.Trim(id[3:], "0123456789abcdef"))
		}
		if plainID(id, "wh_") {
			require.Less(t, len(id), 68)
			require.NotContains(t, id[3:], "_")
			require.True(t, utf8.ValidString(id))
		}
	})
}

// FuzzVisitCookie: a cookie of the onion mirror's pages is a session if it is
// one that was issued, letter for letter, and for a day; nothing else is.
func FuzzVisitCookie(f *testing.F) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	v := visits{key: []byte("key"), clock: func() time.Time { return now }}
	issued := v.issue()
	for _, seed := range []string{issued, issued + "x", "." + issued, issued[:len(issued)-1], "1.a.b", "..", "", "9999999999999999999.a.", "-1.a." + v.signature("-1.a")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		session, ok := v.read(cookie)
		if !ok {
			return
		}
		require.Equal(t, cookie, session+"."+v.signature(session))
		later := visits{key: v.key, clock: func() time.Time { return now.Add(visitTime) }}
		_, ok = later.read(issued)
		require.False(t, ok)
		other := visits{key: []byte("another"), clock: v.clock}
		_, ok = other.read(cookie)
		require.False(t, ok, "under another key")
	})
}
