package merchant_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp"
	"github.com/stretchr/testify/require"
)

// opensAnAccount goes from the sign-up form to the confirmed address.
func (f *formBench) opensAnAccount(t *testing.T) {
	f.owner.email = "anna@example.com"
	f.opens(t, "/sign-up")
	f.isRefused(t, "/sign-up", filled{"email": f.owner.email, "password": "short", "business_name": "Tee & Söhne"}, http.StatusBadRequest, "A password has 10")
	f.press(t, "/sign-up", filled{"password": password}, "Your account is ready", "cm_live_", "cm_test_")
	f.owner.test = f.read(t, "section:nth-of-type(1) .copy")
	f.owner.live = f.read(t, "section:nth-of-type(2) .copy")
	f.owner.id = rowsOf[string](t, f.bench, "SELECT merchant_id FROM merchants WHERE business_name = 'Tee & Söhne'")[0]
	first := f.mailed(t, f.owner.email, "/verify-email/", 1)
	f.opens(t, "/settings/account", "Your address is not confirmed yet")
	f.press(t, "/settings/resend-verification", filled{"password": password}, "Done.")
	second := f.mailed(t, f.owner.email, "/verify-email/", 2)
	require.NotEqual(t, first, second)
	f.opens(t, second)
	f.press(t, second, nil, "Your email address is confirmed")
	f.opens(t, "/settings/account")
	require.NotContains(t, f.text(t), "not confirmed yet")
	f.leaves(t)
	f.enters(t, f.owner.email, password, "", "Set up your shop")
	f.leaves(t)
}

// forgets sets a new password by mail, and changes it back at the desk.
func (f *formBench) forgets(t *testing.T) {
	f.opens(t, "/forgot-password")
	f.press(t, "/forgot-password", filled{"email": f.owner.email}, "we have sent a link")
	link := f.mailed(t, f.owner.email, "/reset-password/", 1)
	f.opens(t, link)
	f.press(t, link, filled{"password": newPassword}, "Your password is changed")
	f.enters(t, f.owner.email, newPassword, "", "Home")
	f.opens(t, "/settings/account")
	f.press(t, "/settings/password", filled{"password": newPassword, "new_password": password}, "Done.")
	f.leaves(t)
	f.enters(t, f.owner.email, password, "", "Home")
}

// changesTheAddress changes the email address, which takes effect once it is confirmed.
func (f *formBench) changesTheAddress(t *testing.T) {
	fresh := "new@example.com"
	f.opens(t, "/settings/account")
	f.press(t, "/settings/email", filled{"email": fresh, "password": password}, "Done.", f.owner.email)
	link := f.mailed(t, fresh, "/verify-email/", 1)
	f.opens(t, link)
	f.press(t, link, nil, "Your email address is confirmed")
	f.owner.email = fresh
	f.opens(t, "/settings/account", fresh)
}

// usesTwoFactors logs in with a code from the app and with a backup code, after it has scanned
// the picture.
func (f *formBench) usesTwoFactors(t *testing.T) {
	f.opens(t, "/settings/two-factor", "Off: a password alone")
	f.press(t, "/settings/two-factor/setup", nil, "Scan the QR code")
	f.isRefused(t, "/settings/two-factor/verify", filled{"code": "000000"}, http.StatusForbidden, "Wrong code")
	secret := f.read(t, ".copy")
	picture := does(t, f.presser, "picture", chromedp.JavascriptAttribute[string](chromedp.CSS(".scan img"), "src"))
	uri, err := otp.NewKeyFromURL(scan(t, picture))
	require.NoError(t, err)
	require.Equal(t, secret, uri.Secret(), "the picture has the secret that is shown")
	require.NotContains(t, f.text(t), "Backup codes", "they are shown once the factor is on")
	f.press(t, "/settings/two-factor/verify", filled{"code": f.code(t, secret, 0)}, "Two-factor authentication is on", "Backup codes")
	backup := strings.Fields(f.read(t, "pre"))[0]
	f.opens(t, "/settings/two-factor", "On: each login needs a code")
	f.leaves(t)
	f.opens(t, "/log-in")
	f.isRefused(t, "/log-in", filled{"email": f.owner.email, "password": password}, http.StatusUnauthorized, "Enter your two-factor code as well")
	f.press(t, "/log-in", filled{"email": f.owner.email, "password": password, "code": backup}, "Home")
	f.opens(t, "/settings/two-factor", "9")
	f.press(t, "/settings/two-factor/disable", filled{"code": f.code(t, secret, 30*time.Second)}, "Off: a password alone")
}

// setsTheShop sets the shop's name, its payout address and its choice of mails.
func (f *formBench) setsTheShop(t *testing.T) {
	f.opens(t, "/settings")
	f.press(t, "/settings/profile", filled{"business_name": "Tee", "contact": "At the harbour"}, "Done.")
	require.Equal(t, "At the harbour", f.read(t, "#contact"))
	f.isRefused(t, "/settings/payout", filled{"address": "abc"}, http.StatusBadRequest, "This is not a valid Monero address")
	f.press(t, "/settings/payout", filled{"address": payoutAddress}, "Done.", "48DCHZ…3FaS4u")
	own := keysNamed("of the desk")
	f.isRefused(t, "/settings/wallet", filled{"primary_address": own.address.String(), "private_view_key": strings.Repeat("1", 64)}, http.StatusBadRequest, "The view key does not belong to this address.")
	f.press(t, "/settings/wallet", filled{"primary_address": own.address.String(), "private_view_key": own.view}, "Done.", own.masked(), "cannot spend it")
	f.press(t, "/settings/wallet/hosted", filled{}, "Done.", "the operator of this service holds the money")
	f.press(t, "/settings/refunds", filled{"auto_up_to": "0.001"}, "Done.")
	f.opens(t, "/settings/notices")
	f.press(t, "/settings/notices", filled{"payout_sent": "daily"}, "Done.")
	require.Equal(t, "Once a day", f.read(t, "#payout_sent option[selected]"))
}

// employs a cashier, who leaves, and an accountant, who gets another role and is then removed.
func (f *formBench) employs(t *testing.T) {
	cashier, accountant := f.verified(t), f.verified(t)
	link := f.invites(t, "cashier")
	f.leaves(t)
	f.joins(t, link, cashier, "Cashier")
	require.Contains(t, f.text(t), "Point of sale")
	require.NotContains(t, f.text(t), "Payouts", "a cashier's first page")
	f.opens(t, "/shops", "You are here")
	f.press(t, "/shops", nil, "Payouts")
	f.opens(t, "/shops")
	f.press(t, "/shops/"+f.owner.id+"/leave", nil, "Done.")
	f.leaves(t)

	f.enters(t, f.owner.email, password, "", "Home")
	link = f.invites(t, "accountant")
	f.leaves(t)
	f.joins(t, link, accountant, "Accountant")
	require.Contains(t, f.text(t), "Reports")
	require.NotContains(t, f.text(t), "Point of sale", "an accountant's first page")
	f.opens(t, "/charges", "A-1")
	f.leaves(t)

	f.enters(t, f.owner.email, password, "", "Home")
	f.opens(t, "/staff/"+accountant.id)
	f.press(t, "/staff/"+accountant.id, filled{"role": "support", "refunds_a_day": "0.1"}, "Done.", "Support")
	f.opens(t, "/staff", accountant.email)
	f.press(t, "/staff/"+accountant.id+"/remove", nil, "Done.", "You work alone")
	f.invites(t, "owner")
	f.opens(t, "/staff", "Open invites")
	invite := rowsOf[string](t, f.bench, "SELECT id FROM staff_invites WHERE role = 'owner' AND merchant_id = '"+f.owner.id+"'")[0]
	f.press(t, "/staff/invites/"+invite+"/revoke", nil, "Done.")
	require.NotContains(t, f.text(t), "Open invites")
}

// invites creates an invite for a role and returns the path of its link.
func (f *formBench) invites(t *testing.T, role string) (path string) {
	t.Helper()
	f.opens(t, "/staff")
	f.press(t, "/staff/invites", filled{"role": role, "note": "a friend"}, "Done.", "Send this link to that person")
	path = f.linked(t)
	require.Regexp(t, `^/join/`, path)
	return path
}

// joins opens the link of an invite, logs in on the way, and joins.
func (f *formBench) joins(t *testing.T, link string, s shop, role string) {
	t.Helper()
	f.opens(t, link, "You were invited to work in a shop")
	f.press(t, "/log-in", filled{"email": s.email, "password": password}, "You were invited", s.email, "Tee", role)
	f.press(t, link, nil, "Home")
	require.Equal(t, "/", f.where(t))
}
