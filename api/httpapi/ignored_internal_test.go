package httpapi

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

type common struct {
	Note string `json:"note"`
}

type order struct {
	common

	Amount   money.Decimal     `json:"amount"`
	Until    *wire.Time        `json:"until,omitempty"`
	Metadata json.RawMessage   `json:"metadata"`
	Labels   map[string]string `json:"labels"`
	Lines    []struct {
		Price *money.Decimal `json:"price"`
	} `json:"lines"`
}

func TestNamesThatATypeDoesNotHave(t *testing.T) {
	t.Parallel()
	names := NamesOf(reflect.TypeFor[Body[order]]())
	for body, want := range map[string][]string{
		`{"amount":1,"note":"x","until":null,"metadata":{"any":1},"labels":{"any":"x"}}`: nil,
		`{"amount":1,"curency":"EUR","Amount":2}`:                                        {"Amount", "curency"},
		`{"lines":[{"price":1,"vat":2},{"vat":3},{"price":{"x":1}}]}`:                    {"lines.vat"},
		`{"":1}`:               {""},
		`{"a":1,"a":2}`:        {"a"},
		`[{"curency":"EUR"}]`:  {"curency"},
		`[{"a":1},[{"b":1}]]`:  {"a"},
		` [[{"curency":1}]]`:   nil,
		`[{"curency":1},`:      nil,
		`{"curency":`:          nil,
		`"curency"`:            nil,
		"{\"\\u0000, \\n\":1}": {"\x00, \n"},
	} {
		require.Equal(t, want, names.missingFrom([]byte(body)), body)
	}
	require.Nil(t, NamesOf(reflect.TypeFor[Body[map[string]string]]()), "every name is a field")
}

func TestIgnoredFieldsAreTheLastOfAnObject(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]any{
		`{"amount":0.10,"text":"<&>","ignored_fields":["a\"b"]}`: struct {
			Amount json.Number `json:"amount"`
			Text   string      `json:"text"`
		}{"0.10", "<&>"},
		`{"ignored_fields":["a\"b"]}`: struct{}{},
		`[1]`:                         []int{1},
		`null`:                        nil,
	} {
		got, err := withNames{answer, []string{`a"b`}}.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
}
