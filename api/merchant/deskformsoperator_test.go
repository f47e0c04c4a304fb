package merchant_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/opdesk"
)

// operates presses every form of the operators' desk, in the same browser.
func (f *formBench) operates(t *testing.T) {
	s, g := f.verified(t), f.appointed(t, f.guardOf(t, f.verified(t)))
	to, got := receiver(t, http.StatusNoContent)
	f.webhook(t, s, `{"url":"`+to+`","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	delivery := f.deliver(t, s, "ch_0123456789abcdef0123cccc")
	f.exec(t, "UPDATE deliveries SET status = 'failed', attempts = 3, error = 'timeout' WHERE id = $1", delivery)
	unmatched, _ := f.stray(t)
	_, alert := f.stray(t)

	p := &presser{tab: f.tab, site: f.internal, routes: opdesk.Routes(), pressed: map[string]bool{}}
	p.opens(t, opdesk.Root+"/", "Log in")
	logIn := opdesk.Root + "/log-in"
	p.isRefused(t, logIn, filled{"email": g.email, "password": password}, http.StatusUnauthorized, "second factor is missing")
	p.press(t, logIn, filled{"email": g.email, "password": password, "code": g.backup[0]}, "Log out")
	here := opdesk.Root + "/merchants/" + s.id
	p.opens(t, here, "Example Shop")
	p.press(t, here+"/suspend", nil, "Done.", "End the suspension")
	p.press(t, here+"/unsuspend", nil, "Done.", "Keys and sessions answer 403")
	day := f.now().AddDate(0, 0, 7).Format(time.DateOnly)
	p.press(t, here+"/hold", filled{"until": day}, "Done.", "sweeps wait until "+day)
	p.isRefused(t, here+"/terms", filled{"fee_rate": "much"}, http.StatusBadRequest, "number")
	p.opens(t, here)
	p.press(t, here+"/terms", filled{"fee_rate": "0.0035", "pending_charges_max": "70"}, "Done.", "0.0035")
	p.opens(t, opdesk.Root+"/fees")
	p.press(t, opdesk.Root+"/fees", filled{"volume_xmr": "100.5", "fee_rate": "0.003"}, "Done.", "100.5 XMR")
	p.opens(t, opdesk.Root+"/unmatched")
	p.press(t, opdesk.Root+"/unmatched/"+unmatched+"/resolve", filled{"note": "paid back"}, "Done.")
	p.opens(t, opdesk.Root+"/alerts", "money")
	p.press(t, opdesk.Root+"/alerts/"+alert+"/resolve", filled{"note": "looked at"}, "Done.")
	p.opens(t, opdesk.Root+"/alerts?status=resolved", "looked at")
	p.opens(t, opdesk.Root+"/deliveries", delivery)
	p.press(t, opdesk.Root+"/deliveries/"+delivery+"/redeliver", nil, "Done.")
	require.Contains(t, await(t, got).body, "ch_0123456789abcdef0123cccc")
	p.press(t, opdesk.Root+"/log-out", nil, "Log in")
	require.Empty(t, p.untried(), "nobody presses these")
}
