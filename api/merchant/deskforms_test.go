package merchant_test

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdk "go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/testkit"
	"github.com/durapay/durapay/workflows"
)

// formBench is an API whose desk has all its functions turned on, with a browser in which the
// test presses its forms.
type formBench struct {
	*bench
	*presser
	mails *testkit.MailServer
	// ahead is how far the API's clock is ahead of its workers' clock.
	ahead *clock
	// owner is the shop that was opened in the browser.
	owner shop
	// paid is a paid charge of the owner.
	paid string
}

// TestABrowserPressesEveryFormOfTheDesks presses the forms in whole flows, without script. Each
// form is pressed at least once and leads to a page that confirms it. A new form in the routes
// needs a flow.
func TestABrowserPressesEveryFormOfTheDesks(t *testing.T) {
	t.Parallel()
	f := setupForForms(t)
	for _, flow := range []struct {
		name string
		goes func(*formBench, *testing.T)
	}{
		{"an account is opened and confirmed", (*formBench).opensAnAccount},
		{"a forgotten password", (*formBench).forgets},
		{"another address", (*formBench).changesTheAddress},
		{"the second factor", (*formBench).usesTwoFactors},
		{"the settings of the shop", (*formBench).setsTheShop},
		{"a charge that is paid too little", (*formBench).takesTooLittle},
		{"refunds", (*formBench).refunds},
		{"the till", (*formBench).sellsAtTheTill},
		{"payment requests", (*formBench).asksByLink},
		{"payouts", (*formBench).sweeps},
		{"reports", (*formBench).reports},
		{"swaps", (*formBench).swaps},
		{"webhooks", (*formBench).receivesEvents},
		{"keys", (*formBench).handlesKeys},
		{"the sandbox", (*formBench).triesTheSandbox},
		{"staff", (*formBench).employs},
		{"a mail that turns mails off", (*formBench).turnsMailsOff},
		{"the password once more", (*formBench).stepsUp},
		{"the end", (*formBench).endsTheAccount},
		{"the operators' desk", (*formBench).operates},
		{"barriers", (*formBench).meetsNoBarriers},
	} {
		if !t.Run(flow.name, func(t *testing.T) { flow.goes(f, t) }) {
			return // the next flow starts where this one ends
		}
	}
	require.Empty(t, f.untried(), "no flow presses these")
}

// setupForForms starts Temporal, a mail server and a worker that pays payouts.
func setupForForms(t *testing.T) *formBench {
	t.Helper()
	f := &formBench{ahead: &clock{}}
	f.bench = setupWithTemporal(t, func(d *merchant.Deps) {
		d.PublicURL, d.Mails, d.VerifyEmail, d.StepUp = "http://127.0.0.1", true, true, true
		d.Clock = func() time.Time { return time.Now().UTC().Add(f.ahead.Now().Sub(time.Time{})) }
	})
	f.stopWorker()
	f.mails, f.postman = openPost(t)
	f.payer = &paysAtOnce{Handler: f.walletless(), b: f.bench}
	f.stopWorker = f.startWorker()
	builds := sdk.New(f.temporal, workflows.PayoutQueue("live-1"), sdk.Options{DisableWorkflowWorker: true})
	builds.RegisterActivity(f.payer.(*paysAtOnce).BuildPayout)
	require.NoError(t, builds.Start())
	t.Cleanup(builds.Stop)
	routes, _ := desk.Routes()
	f.presser = startPressing(t, f.url, routes)
	return f
}

// paysAtOnce pays payouts without a wallet: it only marks them as sent.
type paysAtOnce struct {
	*payouts.Handler

	b *bench
}

// EstimateDust returns the smallest amount, so that no payment counts as dust.
func (p *paysAtOnce) EstimateDust(context.Context) (money.Piconero, error) { return 1, nil }

// BuildPayout has nothing to build.
func (p *paysAtOnce) BuildPayout(context.Context, payouts.PayoutTask) error { return nil }

// RelayPayout marks the payout as sent.
func (p *paysAtOnce) RelayPayout(ctx context.Context, in payouts.PayoutTask) error {
	_, err := p.b.store.Pool().Exec(ctx, "UPDATE payouts SET status = 'broadcast', sent_at = now(), tx_hash = encode(sha256(id::bytea), 'hex') WHERE id = $1", in.PayoutID)
	return err
}

// mailed waits for n links of a kind in mails to an address, and returns the path of the newest.
func (f *formBench) mailed(t *testing.T, to, kind string, n int) string {
	t.Helper()
	link := regexp.MustCompile(regexp.QuoteMeta(publicURL) + `(` + regexp.QuoteMeta(kind) + `[0-9A-Za-z_-]+)`)
	newest := ""
	require.Eventually(t, func() bool {
		var paths []string // a mail may arrive twice, with the same link
		for _, m := range slices.Backward(f.mails.Messages(to)) {
			if found := link.FindStringSubmatch(m.Text); found != nil && !slices.Contains(paths, found[1]) {
				paths = append(paths, found[1])
			}
		}
		if len(paths) > 0 {
			newest = paths[len(paths)-1]
		}
		return len(paths) >= n
	}, maxWait, 20*time.Millisecond, "%s to %s", kind, to)
	return newest
}

// enters logs a person in.
func (f *formBench) enters(t *testing.T, email, password, code string, shows ...string) {
	t.Helper()
	f.opens(t, "/log-in")
	f.press(t, "/log-in", filled{"email": email, "password": password, "code": code}, shows...)
}

// leaves logs out.
func (f *formBench) leaves(t *testing.T) {
	t.Helper()
	f.press(t, "/log-out", nil, "Forgot your password?")
}

// verified returns a shop whose address is confirmed, opened by the API.
func (f *formBench) verified(t *testing.T) shop {
	t.Helper()
	s := f.signup(t)
	f.exec(t, "UPDATE merchants SET email_verified_at = now() WHERE merchant_id = $1", s.id)
	return s
}

// turnsMailsOff causes a mail about a login from a new network, and follows that mail's link to
// turn such mails off.
func (f *formBench) turnsMailsOff(t *testing.T) {
	f.leaves(t)
	f.exec(t, "UPDATE login_networks SET network = sha256('elsewhere')")
	f.enters(t, f.owner.email, password, "", "Home")
	gathers := mails.Handler{Store: f.store, Clock: f.now, Sender: f.postman}
	_, err := gathers.GatherNotices(t.Context())
	require.NoError(t, err)
	off := f.mailed(t, f.owner.email, "/notices/off/", 1)
	f.opens(t, off)
	f.press(t, off, nil, "These mails are turned off")
	f.opens(t, "/settings/notices")
	require.Equal(t, "Never", f.read(t, "#new_login option[selected]"))
}

// stepsUp changes the payout address long after the login.
func (f *formBench) stepsUp(t *testing.T) {
	f.ahead.advance(account.StepUpLife + time.Minute)
	f.opens(t, "/settings")
	f.isRefused(t, "/settings/payout", filled{"address": payoutAddress}, http.StatusForbidden, "Confirm your password")
	f.isRefused(t, "/settings/payout", filled{"step_up_password": "another password"}, http.StatusForbidden, "Wrong password")
	f.press(t, "/settings/payout", filled{"step_up_password": password}, "Done.", "48DCHZ…3FaS4u")
}

func (f *formBench) endsTheAccount(t *testing.T) {
	f.leaves(t)
	s := f.verified(t)
	f.enters(t, s.email, password, "", "Home")
	f.opens(t, "/settings/account")
	f.isRefused(t, "/settings/delete", filled{"password": "another password"}, http.StatusForbidden, "Wrong password")
	f.press(t, "/settings/delete", filled{"password": password}, "Your account was deleted")
	f.isRefused(t, "/log-in", filled{"email": s.email, "password": password}, http.StatusUnauthorized, "Wrong email or password")
}

// idAt returns the last part of the page's path.
func (f *formBench) idAt(t *testing.T) string {
	t.Helper()
	path := f.where(t)
	return path[strings.LastIndexByte(path, '/')+1:]
}
