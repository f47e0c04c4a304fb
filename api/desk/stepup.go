package desk

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/api/web"
)

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
	f := sheet.Form{
		Action: v.r.URL.Path, Button: v.t("step_up.go_on"),
		Fields: []sheet.Field{{
			Name: stepUpField, Label: v.t("password"), Type: "password", Autocomplete: "current-password", Max: 200, Required: true,
		}},
	}
	for name, values := range v.r.PostForm {
		if name == codeField || name == stepUpField {
			continue
		}
		for _, value := range values {
			f.Hidden = append(f.Hidden, sheet.Hidden{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(f.Hidden, func(a, b sheet.Hidden) int { return strings.Compare(a.Name, b.Name) })
	v.status = http.StatusForbidden
	_ = v.show(&sheet.Page{Narrow: true, Text: v.t("step_up.text"), Parts: []sheet.Part{{Forms: []sheet.Form{f}}}}, v.t("step_up.title"))
}
