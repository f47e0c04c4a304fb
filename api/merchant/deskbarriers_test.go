package merchant_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/permission"
)

// meetsNoBarriers checks with axe-core the pages that a person sees before a login or after a
// refusal: the pages before a login, refused forms, and refusals. It uses a phone's screen, both
// colour schemes and both writing directions.
func (f *formBench) meetsNoBarriers(t *testing.T) {
	browsertest.Call(t, f.tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
	axe := browsertest.StartAxe(t, f.tab, "../..")
	looks := []struct {
		browsertest.Look

		language string
	}{{browsertest.Looks()[0], "en"}, {browsertest.Looks()[1], "ar"}}
	person := f.verified(t)
	f.employ(t, f.owner, person, permission.Cashier)
	for _, look := range looks {
		sees := func(path string, status int64, typed ...filled) {
			t.Helper()
			answer := does(t, f.presser, path, chromedp.NavigateResponse(f.site+path))
			for _, values := range typed { // the page that answers its form
				f.fill(t, formAt(path), values)
				answer = f.presser.send(t, path)
			}
			require.Equal(t, status, answer.Status, path)
			axe.Looks(t, path, look.Look)
		}
		leaves := func() { // a phone has this button in the menu
			t.Helper()
			browsertest.Wear(t, f.tab, browsertest.Looks()[2])
			f.press(t, "/log-out", nil)
			browsertest.Wear(t, f.tab, look.Look)
		}
		browsertest.Enter(t, f.tab, f.url+"/log-in?lang="+look.language, look.Look)
		for _, path := range []string{"/log-in", "/sign-up", "/forgot-password"} {
			sees(path, http.StatusOK)
		}
		sees("/nothing", http.StatusNotFound)
		sees("/log-in", http.StatusUnauthorized, filled{"email": person.email, "password": "another password"})
		sees("/sign-up", http.StatusBadRequest, filled{"email": "else@example.com", "password": "short", "business_name": "Tea"})
		f.enters(t, person.email, password, "")
		f.press(t, "/shops", nil)
		sees("/ask", http.StatusBadRequest, filled{"amount": "two"})
		sees("/payouts", http.StatusForbidden)
		leaves()
		f.enters(t, f.owner.email, password, "")
		f.exec(t, "ALTER TABLE scoped_keys RENAME TO keys_away")
		sees("/keys", http.StatusInternalServerError)
		f.exec(t, "ALTER TABLE keys_away RENAME TO scoped_keys")
		f.opens(t, "/")
		leaves()
	}
}
