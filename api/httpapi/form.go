package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/wire"
)

// FormType is the media type of HTML forms.
const FormType = "application/x-www-form-urlencoded"

// Form marks an operation that takes a plain HTML form too, and defines how the form's texts
// become the operation's JSON body. Inputs that were left empty count as missing.
type Form struct {
	// Numbers are the names of inputs that become JSON numbers. Lists are those that may be
	// repeated. All other inputs are texts.
	Numbers, Lists []string
}

// object returns the JSON body for a form.
func (f *Form) object(raw []byte) ([]byte, error) {
	inputs, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, BadRequest("the form is not valid")
	}
	members := make([]wire.Member, 0, len(inputs))
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		values := inputs[name]
		if len(values) > 1 && !slices.Contains(f.Lists, name) {
			return nil, BadRequest("an input of the form is repeated")
		}
		text := strings.Join(values, ",")
		if !utf8.ValidString(name + text) {
			return nil, BadRequest("the form is not valid UTF-8")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		value := wire.Value(text)
		if slices.Contains(f.Numbers, name) {
			value = json.RawMessage(strings.TrimSpace(text))
		}
		if !json.Valid(value) {
			return nil, BadRequest("%s must be a number", name)
		}
		members = append(members, wire.Member{Name: name, Value: value})
	}
	return []byte(wire.Object(members)), nil
}

// formKey is the context key of a SentForm.
type formKey struct{}

// FormOf returns the HTML form that a request came from; false if it did not come from a form.
func FormOf(ctx context.Context) (SentForm, bool) {
	sent, ok := ctx.Value(formKey{}).(SentForm)
	return sent, ok
}

// SentForm describes a request that came from an HTML form. Lang is the language that the sender
// chose for the pages, or empty.
type SentForm struct{ Lang string }
