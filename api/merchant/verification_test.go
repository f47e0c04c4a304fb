package merchant_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/testkit"
	"github.com/durapay/durapay/workflows"
)

// postBench is an API whose merchants verify their addresses, with a real Temporal, worker and
// mail server.
type postBench struct {
	*bench
	mails          *testkit.MailServer
	sender         *notice.Sender
	workflowClient client.Client
	// stop stops the worker.
	stop func()
}

func setupWithMail(t *testing.T, change ...func(*merchant.Deps)) *postBench {
	t.Helper()
	workflowClient := stack.NewTemporal(t)
	change = append([]func(*merchant.Deps){withTemporal(workflowClient), func(d *merchant.Deps) { d.VerifyEmail = true }}, change...)
	p := &postBench{workflowClient: workflowClient, bench: setup(t, change...)}
	p.mails, p.sender = openPost(t)
	p.work(t)
	p.sendsWakeups(t, workflowClient)
	return p
}

// openPost starts a mail server that keeps its mails, and returns it with a sender for it.
func openPost(t *testing.T) (*testkit.MailServer, *notice.Sender) {
	t.Helper()
	sink := &testkit.MailServer{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = sink.ServeSMTP(t.Context(), l) }()
	host, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	sender, err := notice.NewSender(config.Mail{SMTPHost: host, SMTPPort: number, SMTPTLS: config.MailTLSOff, MailFrom: "noreply@example.com"}, "")
	require.NoError(t, err)
	return sink, sender
}

func (b *bench) registerMails(w worker.Registry, sender *notice.Sender) {
	w.RegisterWorkflow(workflows.Mail)
	w.RegisterActivity(&mails.Handler{
		Store: b.store, Secret: b.box, Sender: sender, Templates: notice.NewTemplates(), PublicURL: publicURL, Clock: b.now,
		Finished: func(mails.Kind, mails.MailState) {},
	})
}

// work starts a worker. It stops when stop is called or the test ends.
func (p *postBench) work(t *testing.T) {
	t.Helper()
	p.stop = startWorkers(t, p.workflowClient, func(w worker.Registry) { p.registerMails(w, p.sender) })
}

var mailedLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(publicURL) + `(/verify-email/[0-9a-f]{64})$`)

// link waits for the nth mail to an address and returns the path of its link. A mail may arrive
// twice if the worker missed that the server accepted it.
func (p *postBench) link(t *testing.T, to string, n int) string {
	t.Helper()
	var links []string
	require.Eventually(t, func() bool {
		links = nil
		for _, m := range slices.Backward(p.mails.Messages(to)) {
			if path := linkOf(m); !slices.Contains(links, path) {
				links = append(links, path)
			}
		}
		return len(links) >= n
	}, maxWait, 20*time.Millisecond, "mail %d to %s", n, to)
	require.Len(t, links, n)
	require.NotContains(t, links, "", "a mail to %s without a link", to)
	return links[n-1]
}

// linkOf returns the path of a mail's link, or "" if the mail's two forms have different links.
func linkOf(m testkit.Mail) string {
	found := mailedLink.FindStringSubmatch(m.Text)
	if found == nil || !strings.Contains(m.HTML, found[1]) {
		return ""
	}
	return found[1]
}

func (p *postBench) page(t *testing.T, method, path string) answer {
	t.Helper()
	return p.send(t, method, path, anonymous(), "")
}

func TestVerificationByMail(t *testing.T) {
	t.Parallel()
	p := setupWithMail(t)
	t.Run("login waits for the verification", func(t *testing.T) { t.Parallel(); testVerifiedLogin(t, p) })
	t.Run("mail sent again", func(t *testing.T) { t.Parallel(); testResend(t, p) })
	t.Run("email change", func(t *testing.T) { t.Parallel(); testVerifiedChange(t, p) })
	t.Run("nothing sensitive in Temporal", func(t *testing.T) { t.Parallel(); testMailHistory(t, p) })
	t.Run("deleted account", func(t *testing.T) { t.Parallel(); testVerificationOfDeleted(t, p) })
}

func testVerifiedLogin(t *testing.T, p *postBench) {
	s := p.signup(t)
	p.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
	me := func() any {
		return p.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").field(t, "merchant.emailVerified")
	}
	require.Equal(t, false, me())
	require.Contains(t, p.login(t, s.email, password).require(t, http.StatusForbidden).body, "not verified")
	wrong := p.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
	require.Equal(t, p.login(t, "unknown@example.com", "wrong").body, wrong.body)

	link := p.link(t, s.email, 1)
	for range 2 {
		a := p.page(t, http.MethodGet, link)
		require.Equal(t, http.StatusOK, a.status)
		require.Contains(t, a.body, `<form method="post" action="`+link+`">`)
		require.NotContains(t, a.body, "<script")
		require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'")
	}
	require.Equal(t, http.StatusOK, p.page(t, http.MethodHead, link).status)
	p.login(t, s.email, password).require(t, http.StatusForbidden)

	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, link).status)
	require.Equal(t, true, me())
	p.login(t, s.email, password).require(t, http.StatusOK)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		require.Equal(t, http.StatusGone, p.page(t, method, link).status, "a link works once")
	}
	p.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password)).
		require(t, http.StatusBadRequest)
}

func testResend(t *testing.T, p *postBench) {
	s := p.signup(t)
	resend := func(body string) answer {
		return p.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), body)
	}
	for _, body := range []string{`{}`, `{"email":"a@example.com"}`, `{"email":"a@example.com","password":""}`, `{"email":1,"password":"x"}`} {
		resend(body).require(t, http.StatusBadRequest, body)
	}
	first := p.link(t, s.email, 1)
	require.JSONEq(t, `{"ok":true}`, resend(fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password)).require(t, http.StatusOK).body)
	second := p.link(t, s.email, 2)
	require.NotEqual(t, first, second)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, first).status, "the former link is void")
	for range account.MaxFailures {
		resend(fmt.Sprintf(`{"email":%q,"password":"wrong"}`, s.email)).require(t, http.StatusUnauthorized)
	}
	p.login(t, s.email, password).require(t, http.StatusLocked, "guesses here count as failed logins")
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, second).status)
}

func testVerifiedChange(t *testing.T, p *postBench) {
	s, other := p.signup(t), p.signup(t)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, s.email, 1)).status)
	p.link(t, other.email, 1) // so the next mail to this address is about the change
	change := func(to string) {
		a := p.send(t, http.MethodPut, "/api/account/email", session(s.token), fmt.Sprintf(`{"email":%q,"password":%q}`, to, password))
		require.JSONEq(t, `{"ok":true}`, a.require(t, http.StatusOK).body, "the same for an address that is taken")
	}
	me := func() string {
		return p.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").text(t, "merchant.email")
	}
	change(other.email)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, p.link(t, other.email, 2)).status, "it belongs to another account")

	fresh := "new" + s.email
	change(fresh)
	require.Equal(t, s.email, me())
	p.login(t, s.email, password).require(t, http.StatusOK, "a changed address counts once it is verified")
	p.login(t, fresh, password).require(t, http.StatusUnauthorized)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, fresh, 1)).status)
	require.Equal(t, fresh, me())
	p.login(t, fresh, password).require(t, http.StatusOK)
	p.login(t, s.email, password).require(t, http.StatusUnauthorized)
}

// testMailHistory reads the workflow history that Temporal stored for a mail.
func testMailHistory(t *testing.T, p *postBench) {
	s := p.signup(t)
	token := strings.TrimPrefix(p.link(t, s.email, 1), account.VerificationPath)
	var id string
	require.NoError(t, p.store.Pool().QueryRow(t.Context(), "SELECT id FROM email_verifications WHERE merchant_id = $1", s.id).Scan(&id))
	events := p.workflowClient.GetWorkflowHistory(t.Context(), workflows.MailWorkflowID(id), "", false, 1)
	n := 0
	for ; events.HasNext(); n++ {
		event, err := events.Next()
		require.NoError(t, err)
		require.NotContains(t, event.String(), s.email)
		require.NotContains(t, event.String(), token)
	}
	require.Positive(t, n)
	var dump string
	require.NoError(t, p.store.Pool().QueryRow(t.Context(), "SELECT (SELECT json_agg(v) FROM email_verifications v)::text").Scan(&dump))
	require.NotContains(t, dump, token)
	require.NotContains(t, dump, fmt.Sprintf("%x", s.email))
}

func testVerificationOfDeleted(t *testing.T, p *postBench) {
	s := p.signup(t)
	link := p.link(t, s.email, 1)
	p.deleteAccount(t, s, password).require(t, http.StatusOK)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, link).status)
}

// TestVerificationLinkExpires moves the clock, so no other test may share it.
func TestVerificationLinkExpires(t *testing.T) {
	t.Parallel()
	p := setupWithMail(t)
	s := p.signup(t)
	link := p.link(t, s.email, 1)
	p.clock.advance(account.VerificationLife - time.Second)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodGet, link).status)
	p.clock.advance(time.Second)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodGet, link).status)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, link).status)
	p.login(t, s.email, password).require(t, http.StatusForbidden)

	p.stop() // mails requested without a worker must not be lost
	p.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password)).require(t, http.StatusOK)
	p.work(t)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, s.email, 2)).status)
	p.login(t, s.email, password).require(t, http.StatusOK)
}

// TestAccountIsOpenedTogetherWithItsMail uses an unreachable Temporal. The mail of a sign-up
// waits in the outbox. Without room for it no account is opened.
func TestAccountIsOpenedTogetherWithItsMail(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.VerifyEmail = true; d.Log = slog.New(slog.DiscardHandler) })
	signUp := func(email string) answer {
		body := fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"x"}`, email, password)
		return b.send(t, http.MethodPost, "/api/auth/signup", anonymous(), body)
	}
	signUp("a@example.com").require(t, http.StatusOK)
	require.Equal(t, rowsOf[string](t, b, "SELECT id FROM email_verifications"), rowsOf[string](t, b, "SELECT id FROM wakeups WHERE kind = 'mails'"))
	b.exec(t, "ALTER TABLE wakeups RENAME TO elsewhere")
	signUp("b@example.com").require(t, http.StatusInternalServerError)
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM merchants"))
}

// TestALinkAndAChangeDoNotLockEachOtherOut follows a link while a change to another address is
// being made. Both lock the same rows in the same order.
func TestALinkAndAChangeDoNotLockEachOtherOut(t *testing.T) {
	t.Parallel()
	p := setupWithMail(t, withLimits)
	s := p.signup(t)
	link := p.link(t, s.email, 1)
	hold, err := p.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = hold.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = hold.Exec(t.Context(), "SELECT 1 FROM merchants WHERE merchant_id = $1 FOR UPDATE", s.id)
	require.NoError(t, err)
	put := strings.NewReader(fmt.Sprintf(`{"email":"new-%s","password":%q}`, s.email, password))
	change, err := http.NewRequestWithContext(t.Context(), http.MethodPut, p.url+"/api/account/email", put)
	require.NoError(t, err)
	change.Header.Set("Content-Type", "application/json")
	change.Header.Set("Authorization", "Bearer "+s.token)
	changed := begin(change, newcomer())
	pgtest.AwaitBlocked(t, p.store, hold, 1)
	follow, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+link, http.NoBody)
	require.NoError(t, err)
	followed := begin(follow, newcomer())
	pgtest.AwaitBlocked(t, p.store, hold, 2)
	require.NoError(t, hold.Commit(t.Context()))
	require.Equal(t, http.StatusOK, <-changed)
	require.Equal(t, http.StatusGone, <-followed, "the change has voided it")
}

// TestAnotherPasswordEndsAChangeOfAnUnverifiedAccount simulates a thief who knows the former
// password and requests another address before the account's own address is verified.
func TestAnotherPasswordEndsAChangeOfAnUnverifiedAccount(t *testing.T) {
	t.Parallel()
	p := setupWithMail(t)
	change := func(s shop) (token string) {
		return p.send(t, http.MethodPut, "/api/account/password", session(s.token),
			fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, newPassword)).require(t, http.StatusOK).text(t, "token")
	}
	s := p.signup(t)
	p.link(t, s.email, 1)
	thief := "thief-" + s.email
	p.send(t, http.MethodPut, "/api/account/email", session(s.token), fmt.Sprintf(`{"email":%q,"password":%q}`, thief, password)).require(t, http.StatusOK)
	link := p.link(t, thief, 1)
	s.token = change(s)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, link).status)
	me := p.send(t, http.MethodGet, "/api/auth/me", session(s.token), "")
	require.Equal(t, s.email, me.text(t, "merchant.email"))

	other := p.signup(t)
	own := p.link(t, other.email, 1)
	change(other)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, own).status, "the own address is verified all the same")
}
