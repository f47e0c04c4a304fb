package desk

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/api/web"
)

// refusalTexts returns the API's error texts that people often see at the desk, each with the
// desk's text: in the reader's language and without names of the API's fields. Each group of a
// pattern becomes an argument of that text. The first pattern that matches is used.
func refusalTexts() []refusalText {
	return []refusalText{
		{`wrong email or password`, "refused.login"},
		{`wrong code|totp_code is wrong|code is wrong|backup_code is wrong`, "refused.code"},
		{`totp_code is required|code is required`, "refused.needs_code"},
		{`password is wrong|current_password is wrong`, "refused.password"},
		{`too many failed attempts, try again later|too many failed logins from this address`, "refused.locked"},
		{`too many requests, try again later`, "refused.too_many"},
		{`the account is suspended`, "refused.suspended"},
		{`the email address is not verified yet: open the link in the mail, or ask for another`, "refused.unverified"},
		{`the email or the password cannot be used; a password has (\d+) to (\d+) characters`, "refused.sign_up"},
		{`(?:new_)?password must have (\d+) to (\d+) characters`, "refused.new_password"},
		{`email must be an email address of at most 254 characters`, "refused.email"},
		{`the email cannot be used`, "refused.email_taken"},
		{`an invite of the operator is needed that is still good`, "refused.invite"},
		{`this is your own shop: give the link to somebody else`, "refused.own_shop"},
		{`a number is not written as one|amount is required|amount: not a decimal number|amount has the wrong type or form`, "refused.amount"},
		{`auto_up_to_xmr(?: is required|: not a decimal number|: amount out of range)`, "refused.amount"},
		{`refunds_a_day_xmr(?:: not a decimal number|: amount out of range)`, "refused.amount"},
		{`amount must be (\S+) to (\S+)`, "refused.amount_range"},
		{`amount: amount out of range|the amount is out of range`, "refused.out_of_range"},
		{`amount must have at most (\d+) decimals`, "refused.amount_decimals"},
		{`the amount must be more than 0, in at most 2 decimals, or 12 for XMR`, "refused.refund_amount"},
		{`address must be a mainnet primary address or subaddress of \d+ characters`, "refused.address"},
		{`this service sends no mails: ask its operator`, "refused.no_mails"},
		{`the service is in safe mode until an operator has looked at it, try again later`, "refused.safe_mode"},
		{`the charge is paid on the chain of a wallet`, "refused.on_chain"},
		{`no exchange rate is available`, "refused.no_rate"},
		{`no payout address is set`, "refused.no_address"},
		{`there are no unpaid charges`, "refused.nothing_unpaid"},
		{`the outputs of the unpaid charges (?:cannot be spent now|are still locked by the chain)`, "refused.money_locked"},
		{`another payout is in progress`, "refused.payout_open"},
		{`the unpaid amount does not cover the fees`, "refused.below_fees"},
		{`the charge is not confirmed: accept it first if it is underpaid`, "refused.not_paid"},
		{`the charge was not paid more than it asked for and its other refunds hold`, "refused.not_overpaid"},
		{`the refund is more than what was received for the charge, less its other refunds`, "refused.refund_too_much"},
		{`permissions must name at least one`, "refused.permissions"},
		{`events must not be empty`, "refused.events"},
		{`url: .*`, "refused.url"},
		{`the delivery is still (?:pending|being attempted)`, "refused.delivery_open"},
		{`(?:charge|refund|webhook|delivery|swap) not found`, "refused.not_found"},
		{`internal error`, "failed.text"},
	}
}

// refusalText is a pattern for the API's texts, and the id of the desk's text.
type refusalText struct{ pattern, id string }

// refusals holds the compiled patterns of refusalTexts.
var refusals = func() (all []readyRefusal) { //nolint:gochecknoglobals // a constant table
	for _, r := range refusalTexts() {
		all = append(all, readyRefusal{regexp.MustCompile(`^(?:` + r.pattern + `)$`), r.id})
	}
	return all
}()

type readyRefusal struct {
	pattern *regexp.Regexp
	id      string
}

// tell makes the API's error text the problem of the page. The text is in the reader's
// language if the desk has a translation; otherwise it is the API's English text.
func (v *visit) tell(refused *web.Error) {
	for _, r := range refusals {
		found := r.pattern.FindStringSubmatch(refused.Text)
		if found == nil {
			continue
		}
		args := make([]any, len(found)-1)
		for i, text := range found[1:] {
			args[i] = text
		}
		v.problem, v.problemLang = v.t(r.id, args...), ""
		return
	}
	v.problem, v.problemLang = refused.Text, "en"
	if refused.Text == v.worded {
		v.problemLang = ""
	}
}

// refusal returns an error with a text of the desk.
func (v *visit) refusal(status int, id string) error {
	v.worded = v.t(id)
	return &web.Error{Text: v.worded, Status: status}
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
