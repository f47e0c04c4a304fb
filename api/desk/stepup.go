package desk

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/ownapi"
	"github.com/durapay/durapay/api/pages/sheet"
)

// stepUpField is the field of the password that is asked for once more.
const stepUpField = "step_up_password"

// wrongPasswordError says that the password that was given once more was refused.
type wrongPasswordError struct{ refused *ownapi.Error }

// Error is what the API said.
func (e wrongPasswordError) Error() string { return e.refused.Text }

// needsStepUp says whether the API wants the password once more.
func needsStepUp(refused *ownapi.Error) bool {
	return refused.Status == http.StatusForbidden && strings.Contains(refused.Challenge, "insufficient_user_authentication")
}

// stepUp gives the API the password that a form carries besides, if it does.
func (v *visit) stepUp() error {
	if !v.r.PostForm.Has(stepUpField) {
		return nil
	}
	password := v.r.PostForm.Get(stepUpField)
	v.r.PostForm.Del(stepUpField)
	err := v.own(http.MethodPost, "/api/auth/step-up", body{"password": password}, &struct{}{})
	if refused, ok := errors.AsType[*ownapi.Error](err); ok {
		return wrongPasswordError{refused}
	}
	return err
}

// askStepUp asks for the password once more, in a form that is otherwise the one that
// was sent.
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
