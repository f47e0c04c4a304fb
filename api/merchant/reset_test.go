package merchant_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/testkit"
	"github.com/durapay/durapay/workflows"
)

// noticeBench is an API with a real Temporal, worker and mail server, whose merchants get mails
// about changes. Addresses are not verified.
type noticeBench struct {
	*bench
	mails          *testkit.MailServer
	workflowClient client.Client
}

func setupWithNotices(t *testing.T, change ...func(*merchant.Deps)) noticeBench {
	t.Helper()
	workflowClient := stack.NewTemporal(t)
	change = append(change, withTemporal(workflowClient), func(d *merchant.Deps) { d.Mails = true })
	sink, sender := openPost(t)
	p := noticeBench{setup(t, change...), sink, workflowClient}
	startWorkers(t, workflowClient, func(w worker.Registry) { p.registerMails(w, sender) })
	p.sendsWakeups(t, workflowClient)
	return p
}

// mail waits for a mail with a subject to an address. A mail may arrive twice if the worker
// missed that the server accepted it.
func (p noticeBench) mail(t *testing.T, to, subject string) testkit.Mail {
	t.Helper()
	var found testkit.Mail
	require.Eventually(t, func() bool {
		for _, m := range p.mails.Messages(to) {
			if m.Subject == subject {
				found = m
				return true
			}
		}
		return false
	}, maxWait, 20*time.Millisecond, "%q to %s", subject, to)
	return found
}

// subjects returns the subjects of the mails to an address, each once.
func (p noticeBench) subjects(to string) map[string]bool {
	all := map[string]bool{}
	for _, m := range p.mails.Messages(to) {
		all[m.Subject] = true
	}
	return all
}

var resetLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(publicURL) + `(/reset-password/([0-9a-f]{64}))$`)

// resets waits for n reset links and returns the token of each, the latest first.
func (p noticeBench) resets(t *testing.T, to string, n int) []string {
	t.Helper()
	var tokens []string
	require.Eventually(t, func() bool {
		tokens = nil
		for _, m := range p.mails.Messages(to) {
			if found := resetLink.FindStringSubmatch(m.Text); found != nil && !strings.Contains(strings.Join(tokens, " "), found[2]) {
				tokens = append(tokens, found[2])
			}
		}
		return len(tokens) >= n
	}, maxWait, 20*time.Millisecond, "%d links to %s", n, to)
	require.Len(t, tokens, n)
	return tokens
}

func (p noticeBench) forgot(t *testing.T, email string) answer {
	t.Helper()
	return p.send(t, http.MethodPost, "/api/auth/forgot-password", anonymous(), fmt.Sprintf(`{"email":%q}`, email))
}

// resetStatus returns the status of the answer to a reset, or 0.
func (p noticeBench) resetStatus(ctx context.Context, token string) int {
	body := fmt.Sprintf(`{"token":%q,"password":%q}`, token, newPassword)
	return p.statusOf(ctx, "/api/auth/reset-password", as{}, body)
}

// awaitResets returns when all requests so far are processed: their mails are sent or will not
// be sent.
func (p noticeBench) awaitResets(t *testing.T) {
	t.Helper()
	p.awaitWakeups(t)
	for _, id := range rowsOf[string](t, p.bench, "SELECT id FROM password_resets") {
		require.NoError(t, p.workflowClient.GetWorkflow(t.Context(), workflows.MailWorkflowID(id), "").Get(t.Context(), nil))
	}
}

func (p noticeBench) reset(t *testing.T, token, password string) answer {
	t.Helper()
	return p.send(t, http.MethodPost, "/api/auth/reset-password", anonymous(), fmt.Sprintf(`{"token":%q,"password":%q}`, token, password))
}

func (p noticeBench) count(t *testing.T, sql string) string {
	t.Helper()
	return rowsOf[string](t, p.bench, sql)[0]
}

const newPassword = "purple monkey dishwasher"

func TestPasswordReset(t *testing.T) {
	t.Parallel()
	p := setupWithNotices(t, withLimits)
	p.bench = p.roaming()
	t.Run("by the page", func(t *testing.T) { testResetByPage(t, p) })
	t.Run("by the API", func(t *testing.T) { testResetByAPI(t, p) })
	t.Run("nobody learns of addresses", func(t *testing.T) { testResetRevealsNothing(t, p) })
	t.Run("three mails an hour", func(t *testing.T) { testResetMails(t, p) })
	t.Run("links that are void", func(t *testing.T) { testVoidResets(t, p) })
	t.Run("by an operator", func(t *testing.T) { testOperatorResets(t, p) })
	t.Run("ten requests of a client", func(t *testing.T) { testResetsOfAClient(t, p) })
	t.Run("ten tries of a client at the page", func(t *testing.T) { testTriesAtThePage(t, p) })
}

// testResetsOfAClient sends requests from one address. Requesting a link, trying tokens and
// logging in share one bucket.
func testResetsOfAClient(t *testing.T, p noticeBench) {
	s := p.signup(t)
	p.bench = p.elsewhere("127.0.3.1")
	requireLimit(t, 10, http.StatusBadRequest, func() int { return p.reset(t, strings.Repeat("ab", 32), newPassword).status })
	refused := p.forgot(t, s.email).require(t, http.StatusTooManyRequests)
	require.Equal(t, "900", refused.header.Get("Retry-After"))
	p.login(t, s.email, password).require(t, http.StatusTooManyRequests)
}

// testTriesAtThePage sends the page's form from one address. Its tries share the API's limit.
// They are counted before the password is hashed, so a client that hangs up gains no additional
// tries.
func testTriesAtThePage(t *testing.T, p noticeBench) {
	s := p.signup(t)
	p.forgot(t, s.email).require(t, http.StatusOK)
	link := "/reset-password/" + p.resets(t, s.email, 1)[0]
	p.bench = p.elsewhere("127.0.3.2")
	form := func(password string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+link, strings.NewReader(url.Values{"password": {password}}.Encode()))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return <-begin(req, p.by)
	}
	for range 2 {
		p.reset(t, strings.Repeat("ab", 32), newPassword).require(t, http.StatusBadRequest)
	}
	requireLimit(t, 8, http.StatusBadRequest, func() int { return form("short") })
	require.Equal(t, http.StatusTooManyRequests, form(newPassword), "no password is hashed")
	p.reset(t, strings.Repeat("ab", 32), newPassword).require(t, http.StatusTooManyRequests)
	require.Equal(t, http.StatusOK, p.send(t, http.MethodGet, link, anonymous(), "").status, "the link is not used up, and shows")
	p.bench = p.elsewhere("127.0.3.3")
	require.Equal(t, http.StatusOK, form(newPassword))
}

func testResetByPage(t *testing.T, p noticeBench) {
	s := p.signup(t)
	p.forgot(t, strings.ToUpper(s.email[:1])+s.email[1:]).require(t, http.StatusOK)
	token := p.resets(t, s.email, 1)[0]
	link := "/reset-password/" + token
	for range 2 {
		a := p.send(t, http.MethodGet, link, anonymous(), "")
		require.Equal(t, http.StatusOK, a.status)
		require.NotContains(t, a.body, "<script")
		require.Equal(t, "no-referrer", a.header.Get("Referrer-Policy"))
	}
	p.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK, "opening the link changes nothing")
	post := func(password string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+link, strings.NewReader(url.Values{"password": {password}}.Encode()))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return do(t, req).status
	}
	require.Equal(t, http.StatusBadRequest, post("too short"))
	require.Equal(t, http.StatusBadRequest, post(strings.Repeat("x", account.MaxPassword+1)))
	require.Equal(t, http.StatusOK, post(newPassword))
	require.Equal(t, http.StatusGone, post(newPassword), "it works once")
	p.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusUnauthorized, "every session ended")
	p.login(t, s.email, password).require(t, http.StatusUnauthorized)
	p.login(t, s.email, newPassword).require(t, http.StatusOK)
	require.Contains(t, p.mail(t, s.email, "Your password was reset").Text, "every session ended")
	require.Equal(t, "1", p.count(t, "SELECT count(*)::text FROM audit WHERE action = 'merchant.password-reset' AND actor = '"+s.id+"' AND subject = '"+s.id+"'"))
	require.Equal(t, "0", p.count(t, "SELECT count(*)::text FROM password_resets WHERE token_sealed IS NOT NULL"), "no token is left in the database")
}

func testResetByAPI(t *testing.T, p noticeBench) {
	g := p.guard(t)
	p.forgot(t, g.email).require(t, http.StatusOK)
	token := p.resets(t, g.email, 1)[0]
	for _, body := range []string{
		`{}`, `{"token":null,"password":null}`, `{"token":1,"password":"purple monkey"}`, `[]`,
		fmt.Sprintf(`{"token":%q}`, token), fmt.Sprintf(`{"token":%q,"password":"short"}`, token),
		fmt.Sprintf(`{"token":%q,"password":%q}`, token, strings.Repeat("x", account.MaxPassword+1)),
		fmt.Sprintf(`{"token":%q,"password":%q}`, token[:63], newPassword), fmt.Sprintf(`{"token":%q,"password":%q}`, strings.ToUpper(token), newPassword),
	} {
		p.send(t, http.MethodPost, "/api/auth/reset-password", anonymous(), body).require(t, http.StatusBadRequest, body)
	}
	// Of several simultaneous requests with the link, only one succeeds.
	statuses := make(chan int, 4)
	for range cap(statuses) {
		go func() { statuses <- p.resetStatus(t.Context(), token) }()
	}
	won := 0
	for range cap(statuses) {
		if <-statuses == http.StatusOK {
			won++
		}
	}
	require.Equal(t, 1, won)
	challenge := p.login(t, g.email, newPassword).require(t, http.StatusOK)
	require.Equal(t, true, challenge.field(t, "requires_2fa"), "the second factor stays")
}

// testResetRevealsNothing compares the answers that a stranger gets for an address with an
// account, one without, and one that has had too many mails.
func testResetRevealsNothing(t *testing.T, p noticeBench) {
	s := p.signup(t)
	known := p.forgot(t, s.email).require(t, http.StatusOK)
	unknown := p.forgot(t, "nobody@example.com").require(t, http.StatusOK)
	require.Equal(t, known.body, unknown.body)
	p.resets(t, s.email, 1)
	p.awaitResets(t)
	require.Empty(t, p.mails.Messages("nobody@example.com"))
	// Both cause the same rows and the same workflow, and so the same work.
	require.Equal(t, "2", p.count(t, "SELECT count(*)::text FROM password_resets WHERE created_at = (SELECT max(created_at) FROM password_resets)"))
	for _, body := range []string{`{}`, `{"email":""}`, `{"email":null}`, `{"email":"x"}`, `{"email":1}`, `[]`} {
		p.send(t, http.MethodPost, "/api/auth/forgot-password", anonymous(), body).require(t, http.StatusBadRequest, body)
	}
	gone := p.reset(t, strings.Repeat("ab", 32), newPassword).require(t, http.StatusBadRequest)
	require.Contains(t, gone.body, "no longer valid")
}

func testResetMails(t *testing.T, p noticeBench) {
	s := p.signup(t)
	for range account.MaxResets {
		p.forgot(t, s.email).require(t, http.StatusOK)
	}
	p.resets(t, s.email, account.MaxResets)
	p.forgot(t, s.email).require(t, http.StatusOK)
	p.awaitResets(t)
	p.resets(t, s.email, account.MaxResets)
	p.clock.advance(account.ResetLife)
	p.forgot(t, s.email).require(t, http.StatusOK)
	p.resets(t, s.email, account.MaxResets+1)
}

func testVoidResets(t *testing.T, p noticeBench) {
	s := p.signup(t)
	ask := func(n int) string {
		p.forgot(t, s.email).require(t, http.StatusOK)
		return p.resets(t, s.email, n)[0]
	}
	old := ask(1)
	p.clock.advance(account.ResetLife)
	p.reset(t, old, newPassword).require(t, http.StatusBadRequest, "an hour is over")
	require.Equal(t, http.StatusGone, p.send(t, http.MethodGet, "/reset-password/"+old, anonymous(), "").status)

	moved := ask(2)
	p.as(t, s, http.MethodPut, "/api/account/email", fmt.Sprintf(`{"email":"new-%s","password":%q}`, s.email, password)).require(t, http.StatusOK)
	p.reset(t, moved, newPassword).require(t, http.StatusBadRequest, "the account has another address")
	require.Contains(t, p.mail(t, s.email, "Your email address was changed").Text, "no longer come")
	s.email = "new-" + s.email

	changed := ask(1)
	s.token = p.as(t, s, http.MethodPut, "/api/account/password", fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, newPassword)).
		require(t, http.StatusOK).text(t, "token")
	p.reset(t, changed, "another password").require(t, http.StatusBadRequest, "the password was changed since")

	last := ask(2)
	p.as(t, s, http.MethodPost, "/api/account/delete", fmt.Sprintf(`{"password":%q}`, newPassword)).require(t, http.StatusOK)
	p.reset(t, last, "another password").require(t, http.StatusBadRequest, "the account is deleted")
	p.mail(t, s.email, "Your account was deleted")
}

func testOperatorResets(t *testing.T, p noticeBench) {
	g := p.guard(t)
	thief := p.session(t, g.shop)
	admin := &operator.Admin{
		Store: p.store, Box: p.box, Clock: p.clock.Now, Notices: notice.Notices{Box: p.box, Clock: p.clock.Now, Mails: true},
	}
	for range 2 {
		m, err := admin.ResetTwoFactor(t.Context(), operator.Actor("cli:alice"), g.id)
		require.NoError(t, err)
		require.Equal(t, g.id, m.MerchantID)
	}
	p.send(t, http.MethodGet, "/api/auth/me", session(thief), "").require(t, http.StatusUnauthorized)
	p.login(t, g.email, password).require(t, http.StatusOK).text(t, "token")
	p.mail(t, g.email, "Two-factor authentication was reset")
	require.Equal(t, "1", p.count(t, "SELECT count(*)::text FROM audit WHERE action = 'merchant.reset-2fa' AND actor = 'cli:alice' AND subject = '"+g.id+"'"))
}

// TestChangesAreNotified makes every change that a thief would make, once each, and waits for
// the mail about each.
func TestChangesAreNotified(t *testing.T) {
	t.Parallel()
	p := setupWithNotices(t, withLimits, func(d *merchant.Deps) { d.PayoutHold = 24 * time.Hour })
	s := p.signup(t)
	put := func(path, body string) { p.as(t, s, http.MethodPut, path, body).require(t, http.StatusOK, path) }
	put("/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress))
	require.NotContains(t, p.mail(t, s.email, "Your payout address was changed").Text, "wait until")
	put("/api/merchants/auto-swap", `{"enabled":true,"currency":"ltc","address":"ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"}`)
	m := p.mail(t, s.email, "Your automatic conversion was changed")
	end := p.clock.Now().Add(24 * time.Hour).Format("2006-01-02 15:04 UTC")
	require.Contains(t, m.Text, "wait until "+end)
	require.Contains(t, m.HTML, "wait until "+end)
	p.as(t, s, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK)
	p.mail(t, s.email, "An API key was replaced")
	key := p.as(t, s, http.MethodPost, "/api/auth/2fa/setup", "").require(t, http.StatusOK).text(t, "secret")
	p.as(t, s, http.MethodPost, "/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, p.code(t, key, 0))).require(t, http.StatusOK)
	p.mail(t, s.email, "Two-factor authentication was enabled")
	p.clock.advance(later)
	p.as(t, s, http.MethodPost, "/api/auth/2fa/disable", fmt.Sprintf(`{"code":%q}`, p.wrongCode(t, key))).require(t, http.StatusForbidden)
	p.as(t, s, http.MethodPost, "/api/auth/2fa/disable", fmt.Sprintf(`{"code":%q}`, p.code(t, key, 0))).require(t, http.StatusOK)
	p.mail(t, s.email, "Two-factor authentication was disabled")
	s.token = p.as(t, s, http.MethodPut, "/api/account/password", fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, newPassword)).
		require(t, http.StatusOK).text(t, "token")
	p.mail(t, s.email, "Your password was changed")
	require.Len(t, p.subjects(s.email), 6, "and of nothing else")
	require.Equal(t, "0", p.count(t, "SELECT count(*)::text FROM account_notices WHERE sent_at IS NULL AND kind = 'payout_address'"))
}

// TestNothingIsChangedWithoutANotice uses a service whose Temporal is unreachable. An owner can
// end a thief's access all the same: the change is written together with its mail, and the mail
// with the wakeup of its workflow. Without room for the wakeup nothing is changed.
func TestNothingIsChangedWithoutANotice(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, func(d *merchant.Deps) { d.Mails = true })
	s := b.signup(t)
	waiting := func() []string {
		return rowsOf[string](t, b, "SELECT id FROM wakeups WHERE kind = 'mails' ORDER BY id")
	}
	changes := func(status int) {
		b.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, status)
		b.send(t, http.MethodPost, "/api/auth/forgot-password", anonymous(), fmt.Sprintf(`{"email":%q}`, s.email)).require(t, status)
	}
	b.exec(t, "ALTER TABLE wakeups RENAME TO elsewhere")
	before := b.digest(t)
	changes(http.StatusInternalServerError)
	require.Equal(t, before, b.digest(t))

	b.exec(t, "ALTER TABLE elsewhere RENAME TO wakeups")
	require.Empty(t, waiting())
	changes(http.StatusOK)
	require.Equal(t, rowsOf[string](t, b, "SELECT id FROM account_notices UNION SELECT id FROM password_resets ORDER BY id"), waiting())
	require.Len(t, waiting(), 2)
}

// TestAnotherPasswordEndsAChangeOfTheAddress simulates a thief who knows the former password and
// waits for the link in their own mailbox.
func TestAnotherPasswordEndsAChangeOfTheAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.exec(t, "UPDATE merchants SET email_verified_at = now() WHERE merchant_id = $1", s.id)
	b.exec(t, `INSERT INTO email_verifications (id, merchant_id, email_sealed, token_hash, token_sealed, created_at, expires_at)
		VALUES ($1, $2, '\x00', $3, '\x00', now(), now() + interval '1 day')`, secret.NewID("em_"), s.id, secret.HashAPIKey(s.id))
	pending := func() int { return len(rowsOf[string](t, b, "SELECT id FROM email_verifications")) }
	require.Equal(t, 1, pending())
	b.as(t, s, http.MethodPut, "/api/account/password", fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, newPassword)).
		require(t, http.StatusOK)
	require.Zero(t, pending())
}
