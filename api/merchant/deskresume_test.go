package merchant_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
)

// endSessions lets all sessions expire.
func (b *bench) endSessions() { b.clock.advance(account.TokenLife + time.Hour) }

// askedFor is a form for a payment request, with the code of a page.
func askedFor(code string) url.Values {
	return url.Values{"form": {code}, "amount": {"40.50"}, "currency": {"USD"}}
}

// keeps returns the form that the login holds, which was sent after the session had ended.
func (a answer) keeps(t *testing.T) string {
	t.Helper()
	require.Equal(t, http.StatusUnauthorized, a.status, a.body)
	require.Contains(t, a.problem(t), "your form comes back")
	return hidden(t, a.body, "kept")
}

// resumes logs a person in at the login that holds a form.
func (b *bench) resumes(t *testing.T, s shop, code, kept string) answer {
	t.Helper()
	return shopper{b: b}.send(t, http.MethodPost, "/log-in", url.Values{"email": {s.email}, "password": {password}, "code": {code}, "kept": {kept}})
}

// TestASessionThatEndedGivesTheFormBack sends a form after its session has ended. The login says so, and
// shows the form again as it was filled in. Nothing is done until it is sent again.
func TestASessionThatEndedGivesTheFormBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "").inSandbox(t)
	code := hidden(t, v.page(t, "/payment-requests"), "form")
	b.exec(t, "UPDATE merchants SET token_version = token_version + 1 WHERE merchant_id = $1", s.id)
	a := v.send(t, http.MethodPost, "/payment-requests", url.Values{"form": {code}, "amount": {"40.50"}, "currency": {"USD"}, "description": {"A <lesson>"}, "password": {"secret"}})
	require.Equal(t, http.StatusUnauthorized, a.status)
	require.Contains(t, a.problem(t), "Your session has ended")
	require.NotContains(t, a.body, "secret")
	kept := hidden(t, a.body, "kept")
	anonymous := shopper{b: b}
	wrong := anonymous.send(t, http.MethodPost, "/log-in", url.Values{"email": {s.email}, "password": {"another password"}, "kept": {kept}})
	require.Equal(t, http.StatusUnauthorized, wrong.status)
	require.Equal(t, kept, hidden(t, wrong.body, "kept"), "a wrong password loses nothing")
	other := b.signup(t)
	foreign := anonymous.send(t, http.MethodPost, "/log-in", url.Values{"email": {other.email}, "password": {password}, "kept": {kept}})
	require.Equal(t, http.StatusSeeOther, foreign.status, "another person's form is not theirs")
	require.NotContains(t, foreign.body, "lesson")
	back := anonymous.send(t, http.MethodPost, "/log-in", url.Values{"email": {s.email}, "password": {password}, "kept": {kept}})
	require.Equal(t, http.StatusOK, back.status)
	require.Contains(t, back.body, `action="/payment-requests"`)
	require.Contains(t, back.body, `value="40.50"`)
	require.Contains(t, back.body, `value="A &lt;lesson&gt;"`)
	require.Contains(t, back.body, `<option value="USD" selected>`)
	require.Contains(t, back.problem(t), "nothing was done yet")
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM payment_requests"))
	v = shopper{b: b, cookie: deskCookie(t, back).Value}
	again := v.send(t, http.MethodPost, "/payment-requests", url.Values{"form": {hidden(t, back.body, "form")}, "amount": {"40.50"}, "currency": {"USD"}})
	require.Equal(t, http.StatusSeeOther, again.status, again.body)
	require.Equal(t, []string{"sandbox"}, rowsOf[string](t, b, "SELECT mode FROM payment_requests"), "the form is of the mode that it was filled in in")
	require.Contains(t, shopper{b: b}.page(t, "/log-in?ended=1"), "Your session has ended")
}

// TestAFormComesBackWhereItWasWritten writes forms in one shop or mode, and then goes to another in a
// second window before the session ends.
func TestAFormComesBackWhereItWasWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, employer := b.signup(t), b.signup(t)
	b.employ(t, employer, s, permission.Owner)
	own := b.enterShop(t, s, "")
	sandbox, employed := own.inSandbox(t), own.goesTo(t, employer.id)
	type form struct {
		code    string
		window  shopper
		written string
	}
	written := func(in, window shopper, place string) form {
		return form{hidden(t, in.page(t, "/payment-requests"), "form"), window, place}
	}
	forms := []form{
		written(sandbox, own, s.id+" sandbox"), written(own, sandbox, s.id+" live"), written(own, employed, s.id+" live"), written(employed, own, employer.id+" live"),
	}
	for _, f := range forms {
		require.Equal(t, http.StatusForbidden, f.window.send(t, http.MethodPost, "/payment-requests", askedFor(f.code)).status, f.written)
	}
	b.endSessions()
	for _, f := range forms {
		back := b.resumes(t, s, "", f.window.send(t, http.MethodPost, "/payment-requests", askedFor(f.code)).keeps(t))
		require.Equal(t, http.StatusOK, back.status, back.body)
		require.Contains(t, back.body, `value="40.50"`)
		v := shopper{b: b, cookie: deskCookie(t, back).Value}
		again := v.send(t, http.MethodPost, "/payment-requests", askedFor(hidden(t, back.body, "form")))
		require.Equal(t, http.StatusSeeOther, again.status, again.body)
		require.Equal(t, []string{f.written}, rowsOf[string](t, b, "SELECT merchant_id || ' ' || mode FROM payment_requests"))
		b.exec(t, "DELETE FROM payment_requests")
	}
}

// TestTheFormOfEachTabComesBack opens pages in several tabs of one browser. The first answer after the
// end of the session takes the cookie away.
func TestTheFormOfEachTabComesBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	expired, left, gone := b.enterShop(t, s, ""), b.enterShop(t, s, ""), shopper{b: b}
	codes := []string{hidden(t, expired.page(t, "/payment-requests"), "form"), hidden(t, left.page(t, "/payment-requests"), "form")}
	left.post(t, "/log-out", nil).leads(t, "/log-in")
	b.endSessions()
	reloaded := expired.send(t, http.MethodGet, "/charges", nil)
	reloaded.leads(t, "/log-in?ended=1&next=%2Fcharges")
	require.Negative(t, deskCookie(t, reloaded).MaxAge)
	for _, code := range codes {
		back := b.resumes(t, s, "", gone.send(t, http.MethodPost, "/payment-requests", askedFor(code)).keeps(t))
		require.Equal(t, http.StatusOK, back.status, back.body)
		require.Contains(t, back.body, `value="40.50"`)
	}
	for _, code := range []string{"", "x", codes[0][:len(codes[0])-1], hidden(t, gone.send(t, http.MethodPost, "/payment-requests", askedFor(codes[0])).body, "kept")} {
		gone.send(t, http.MethodPost, "/payment-requests", askedFor(code)).leads(t, "/log-in?ended=1")
	}
}

// TestAFormDoesNotComeBackToWhoMayNotSendIt removes a person from a shop, or gives them another role,
// after the session ended.
func TestAFormDoesNotComeBackToWhoMayNotSendIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, employer := b.signup(t), b.signup(t)
	b.employ(t, employer, s, permission.Owner)
	b.exec(t, "UPDATE merchants SET business_name = 'Tea & Co' WHERE merchant_id = $1", employer.id)
	id := b.charge(t, employer, config.Live)
	v := b.worksFor(t, s, employer)
	code := hidden(t, v.page(t, "/payment-requests"), "form")
	b.endSessions()
	asked := v.send(t, http.MethodPost, "/payment-requests", askedFor(code)).keeps(t)
	toggled := v.send(t, http.MethodPost, "/charges/"+id+"/toggle-active", url.Values{"form": {code}, "active": {"false"}}).keeps(t)

	b.exec(t, "UPDATE staff SET role = 'support'")
	refused := b.resumes(t, s, "", toggled)
	require.Equal(t, http.StatusForbidden, refused.status, refused.body)
	require.Contains(t, refused.problem(t), "Your role in this shop does not allow this.")
	b.exec(t, "DELETE FROM staff")
	refused = b.resumes(t, s, "", asked)
	require.Equal(t, http.StatusForbidden, refused.status, refused.body)
	require.Contains(t, refused.problem(t), "for the shop “Tea &amp; Co”, where you no longer work")
	require.NotContains(t, refused.body, "40.50")
	require.Contains(t, shopper{b: b, cookie: deskCookie(t, refused).Value}.page(t, "/settings"), s.id, "the session is in the own shop")
}

// TestCodesAreTypedAgain sends forms with a code after the session ended.
func TestCodesAreTypedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, s := b.guard(t), b.signup(t)
	guarded, v := b.enterShop(t, g.shop, b.code(t, g.secret, 0)), b.enterShop(t, s, "")
	disabled := url.Values{"form": {hidden(t, guarded.page(t, "/settings/two-factor"), "form")}, "code": {"918273"}}
	offer := v.post(t, "/settings/two-factor/setup", nil)
	verified := url.Values{"form": {hidden(t, offer.body, "form")}, "setup": {hidden(t, offer.body, "setup")}, "code": {"918273"}}
	b.endSessions()
	off := guarded.send(t, http.MethodPost, "/settings/two-factor/disable", disabled).keeps(t)
	on := v.send(t, http.MethodPost, "/settings/two-factor/verify", verified).keeps(t)
	for _, back := range []answer{b.resumes(t, g.shop, b.code(t, g.secret, 0), off), b.resumes(t, s, "", on)} {
		require.Equal(t, http.StatusOK, back.status, back.body)
		require.Contains(t, back.problem(t), "nothing was done yet")
		require.NotContains(t, back.body, "918273")
		require.NotContains(t, back.body, `name="setup"`)
	}
}

// TestAFormOfAnEarlierSessionIsShownAgain sends the form of a tab after the person has logged in in
// another tab. It is shown as it was filled in, and nothing is done until it is sent from there.
func TestAFormOfAnEarlierSessionIsShownAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	code := hidden(t, b.enterShop(t, s, "").page(t, "/payment-requests"), "form")
	v := b.enterShop(t, s, "")
	a := v.send(t, http.MethodPost, "/payment-requests", askedFor(code))
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.problem(t), "nothing was done yet")
	require.Contains(t, a.body, `value="40.50"`)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM payment_requests"))
	require.Equal(t, http.StatusSeeOther, v.send(t, http.MethodPost, "/payment-requests", askedFor(hidden(t, a.body, "form"))).status)

	sandbox := v.inSandbox(t)
	for _, foreign := range []string{code, hidden(t, b.enterShop(t, b.signup(t), "").page(t, "/payment-requests"), "form"), "", "x"} {
		a := sandbox.send(t, http.MethodPost, "/payment-requests", askedFor(foreign))
		require.Equal(t, http.StatusForbidden, a.status)
		require.NotContains(t, a.body, "40.50", "of the other mode, another person's, no code")
	}
	require.Len(t, rowsOf[string](t, b, "SELECT id FROM payment_requests"), 1)
}
