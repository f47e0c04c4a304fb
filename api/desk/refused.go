package desk

import (
	_ "embed" // for the patterns
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

//go:embed refusals.json
var refusalFile []byte

// refusal is an error text of the API, and the id of the desk's text: in the reader's language and
// without names of the API's fields. Each group of the pattern becomes an argument of that text.
type refusal struct {
	Pattern, Text string
	pattern       *regexp.Regexp
}

// refusals holds them. The first whose pattern matches is used.
var refusals = func() (all []refusal) { //nolint:gochecknoglobals // a constant table
	if err := json.Unmarshal(refusalFile, &all); err != nil { //nolint:musttag // the keys are the fields
		panic(err) // it is embedded
	}
	for i := range all {
		all[i].pattern = regexp.MustCompile(`^(?:` + all[i].Pattern + `)$`)
	}
	return all
}()

// setProblem makes the API's error text the problem of the page, in the reader's language.
func (v *visit) setProblem(refused *web.Error) {
	if refused.Text == v.worded {
		v.problem = refused.Text
		return
	}
	id, args := refusalOf(refused.Text)
	v.problem = v.t(id, args...)
}

// admit makes the refusal of what a page has read, such as a search, the problem of that page, so that
// its form can be mended.
func (v *visit) admit() {
	if refused, ok := errors.AsType[*web.Error](v.failed); ok && refused.Status != http.StatusUnauthorized && refused.Status != http.StatusForbidden {
		v.failed, v.status = nil, refused.Status
		v.setProblem(refused)
	}
}

// refusalOf returns the id and the arguments of the desk's text for an error text of the API. One that
// has no entry becomes an argument.
func refusalOf(text string) (id string, args []any) {
	for _, r := range refusals {
		found := r.pattern.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		for _, group := range found[1:] {
			args = append(args, group)
		}
		return r.Text, args
	}
	return otherRefusal, []any{text}
}

// otherRefusal is the id of the text for an error text of the API that has no entry.
const otherRefusal = "refused.unknown"

// refusal returns an error with a text of the desk.
func (v *visit) refusal(status int, id string) error {
	v.worded = v.t(id)
	return &web.Error{Text: v.worded, Status: status}
}

// refusedOf reports whether the page shows why a form was refused.
func (v *visit) refusedOf(action string) bool {
	return v.problem != "" && v.r.Method == http.MethodPost && v.r.URL.Path == action
}

// stepUpField is the field for the password when the API asks for it again.
const stepUpField = "step_up_password"

// wrongPasswordError reports that the API refused the password that was entered again.
type wrongPasswordError struct{ refused *web.Error }

// Error returns the API's error text.
func (e wrongPasswordError) Error() string { return e.refused.Text }

// needsStepUp reports whether the API asks for the password again.
func needsStepUp(refused *web.Error) bool {
	return refused.Status == http.StatusForbidden && strings.Contains(refused.Challenge, "insufficient_user_authentication")
}

// stepUp sends the API the password that a form includes, if it includes one.
func (v *visit) stepUp() error {
	if !v.r.PostForm.Has(stepUpField) {
		return nil
	}
	password := v.r.PostForm.Get(stepUpField)
	v.r.PostForm.Del(stepUpField)
	err := v.own(http.MethodPost, "/api/auth/step-up", body{"password": password}, &struct{}{})
	if refused, ok := errors.AsType[*web.Error](err); ok {
		return wrongPasswordError{refused}
	}
	return err
}

// askStepUp asks for the password again. The form otherwise repeats the one that was sent.
func (v *visit) askStepUp() {
	f := kit.Form{
		Action: v.r.URL.Path, Button: v.t("step_up.go_on"),
		Fields: []kit.Field{{
			Name: stepUpField, Label: v.t("password"), Type: "password", Autocomplete: "current-password", Max: 200, Required: true,
		}},
	}
	for name, values := range v.r.PostForm {
		if name == codeField || name == stepUpField {
			continue
		}
		for _, value := range values {
			f.Hidden = append(f.Hidden, kit.Hidden{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(f.Hidden, func(a, b kit.Hidden) int { return strings.Compare(a.Name, b.Name) })
	v.status = http.StatusForbidden
	_ = v.show(&kit.Page{Narrow: true, Text: v.t("step_up.text"), Parts: []kit.Part{{Forms: []kit.Form{f}}}}, v.t("step_up.title"))
}
