package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// FuzzBody checks that an accepted body is one JSON object that other JSON readers read the same
// way, with the same amount to the last digit. Any other body gets 400.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"amount":49.90,"currency":"USD","metadata":{"order_id":"A-1","n":1.10}}`, `{"amount":1e2,"expires_in":0.5}`, `{"AMOUNT":1}`, `{"amount":1,"amount":2}`,
		`{"amount":"1"}`, `{"amount":null,"metadata":null}`, `{"metadata":{"a":1,"a":2}}`, `{"a\u0000":1}`, `{}`, `[]`, "\ufeff{}", `{"expires_at":"2027-01-01T00:00:00Z"}`,
		`{"amount":1}x`, `{"currency":"\ud800"}`, "{\"currency\":\"\xff\"}", `{"amount":0.1e-0}`, `{"amount":-0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var b Body[struct {
			Amount    *money.Decimal  `json:"amount"`
			Currency  *string         `json:"currency"`
			Metadata  json.RawMessage `json:"metadata"`
			ExpiresAt *wire.Time      `json:"expires_at"`
			ExpiresIn *money.Decimal  `json:"expires_in"`
		}]
		b.Keep(raw)
		err := b.Decode()
		got := b.Value()
		if err != nil {
			var refused *Problem
			require.ErrorAs(t, err, &refused)
			require.Equal(t, http.StatusBadRequest, refused.Status)
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

// FuzzForm checks that a form becomes the JSON object of its inputs: texts stay texts, numbers
// become numbers, and nothing is added.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		"amount=8.5&currency=EUR&fields=a&fields=b&submit=Pay", "amount=+1+", "amount=x", "amount=1,2", "amount=%22%22", "amount={}", "a=1&a=2", "a=%ff", "%zz", "a=1;b=2", "", "&&", "=x", "a", "amount=1%2C%22merchant_id%22%3A%22x%22",
	} {
		f.Add([]byte(seed))
	}
	button := &Form{Numbers: []string{"amount", "expires_in"}, Lists: []string{"fields"}}
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := button.object(raw)
		if err != nil {
			var refused *Problem
			require.ErrorAs(t, err, &refused)
			require.Equal(t, http.StatusBadRequest, refused.Status)
			return
		}
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(object, &members), "%s", object)
		inputs, err := url.ParseQuery(string(raw))
		require.NoError(t, err)
		for name, value := range members {
			sent := strings.Join(inputs[name], ",")
			var text string
			if json.Unmarshal(value, &text) == nil && !slices.Contains(button.Numbers, name) {
				require.Equal(t, sent, text)
				continue
			}
			require.Contains(t, button.Numbers, name, "%s", object)
			require.Equal(t, strings.TrimSpace(sent), string(value))
		}
	})
}

// FuzzLimit checks that the length of a list is a whole number from 1 to the maximum.
func FuzzLimit(f *testing.F) {
	for _, seed := range []string{"1", "0", "-1", "007", "200", "201", "99999999999999999999999", "1e2", "+5", " 5", "٣", "", "0x10", "1_0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := Query{values: url.Values{"limit": {text}}}
		n, err := q.Limit(200)
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

// FuzzIdentifiers checks that an identifier in a path is looked up only if it has the right
// form.
func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{"wh_x", "wh_0123456789abcdef01234567", "wh_0123456789abcdef01234567\n", "wh_", "wh_\x00", "whd_1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if PlainID(id, "wh_") {
			require.Less(t, len(id), 68)
			require.NotContains(t, id[3:], "_")
			require.True(t, utf8.ValidString(id))
		}
	})
}
