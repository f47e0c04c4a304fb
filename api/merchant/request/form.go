package request

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/rawjson"
)

// FormType is the media type of HTML forms.
const FormType = "application/x-www-form-urlencoded"

// Form says that an operation takes a plain HTML form as well, and how its
// texts become the operation's JSON body. Inputs that were left empty are not
// given.
type Form struct {
	// Numbers name the inputs that are JSON numbers, lists those that may come
	// more than once. All others are texts.
	Numbers, Lists []string
}

// object is the JSON body that a form stands for.
func (f *Form) object(raw []byte) ([]byte, error) {
	inputs, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, answer.BadRequest("the form is not valid")
	}
	members := make([]rawjson.Member, 0, len(inputs))
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		values := inputs[name]
		if len(values) > 1 && !slices.Contains(f.Lists, name) {
			return nil, answer.BadRequest("an input of the form is repeated")
		}
		text := strings.Join(values, ",")
		if !utf8.ValidString(name + text) {
			return nil, answer.BadRequest("the form is not valid UTF-8")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		value := rawjson.Value(text)
		if slices.Contains(f.Numbers, name) {
			value = json.RawMessage(strings.TrimSpace(text))
		}
		if !json.Valid(value) {
			return nil, answer.BadRequest("%s must be a number", name)
		}
		members = append(members, rawjson.Member{Name: name, Value: value})
	}
	return []byte(rawjson.Object(members)), nil
}

// formKey is the context's key of a SentForm.
type formKey struct{}

// FormOf is the HTML form that a request came from; false when it came from none.
func FormOf(ctx context.Context) (SentForm, bool) {
	sent, ok := ctx.Value(formKey{}).(SentForm)
	return sent, ok
}

// SentForm is known of a request that came from an HTML form: Lang is the
// language that its sender chose for the pages, or empty.
type SentForm struct{ Lang string }
