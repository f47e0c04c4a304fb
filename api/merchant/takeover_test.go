package merchant_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
)

// takeoverBench verifies addresses, notifies owners of changes, and puts changes of payout
// settings on hold.
func takeoverBench(t *testing.T) (*postBench, noticeBench) {
	t.Helper()
	p := setupWithMail(t, withStepUp, func(d *merchant.Deps) { d.Mails, d.PayoutHold = true, 24*time.Hour })
	return p, noticeBench{p.bench, p.mails, p.workflowClient}
}

// confirmedSignup returns a merchant with a confirmed address.
func (p *postBench) confirmedSignup(t *testing.T) shop {
	t.Helper()
	s := p.signup(t)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, s.email, 1)).status)
	return s
}

// plant inserts every kind of grant into the account without the API, as an account may have
// them that was opened before addresses were verified.
func (b *bench) plant(t *testing.T, s, accomplice shop) (application string) {
	t.Helper()
	b.employ(t, s, accomplice, permission.Owner)
	b.exec(t, `INSERT INTO staff_invites (id, merchant_id, role, token_hash, created_at, expires_at)
		VALUES ('si_0123456789abcdef01234567', $1, 'owner', '\x01', now(), now() + interval '7 days')`, s.id)
	b.exec(t, `INSERT INTO webhooks (id, merchant_id, url, events, secret_sealed, created_at)
		VALUES ('wh_0123456789abcdef01234567', $1, 'https://receiver.example/', '{charge.confirmed}', '\x01', now())`, s.id)
	b.exec(t, `UPDATE merchants SET payout_address_sealed = '\x01', payout_address_masked = '8thief…s', refund_auto_up_to = 1000000000000, refund_key_approves = true,
		auto_swap_enabled = true, auto_swap_ticker = 'ltc', auto_swap_network = 'Mainnet', auto_swap_address_sealed = '\x01', auto_swap_address_masked = 'ltc…x',
		totp_secret_sealed = '\x01', totp_enabled_at = now(),
		own_wallet_id = $2, next_wallet_id = $2, wallet_change_at = now() + interval '1 day' WHERE merchant_id = $1`, s.id, b.ownWallet(t, s))
	b.exec(t, `INSERT INTO backup_codes (merchant_id, code_hash) VALUES ($1, '\x01')`, s.id)
	return b.scoped(t, s, "Shop", permission.ModifyStoreSettings)
}

// grants counts the grants that let another person or program act for a merchant.
func (b *bench) grants(t *testing.T, s shop) string {
	t.Helper()
	var counts string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), `SELECT concat_ws(' ',
		(SELECT count(*) FROM staff WHERE merchant_id = $1), (SELECT count(*) FROM staff_invites WHERE merchant_id = $1),
		(SELECT count(*) FROM scoped_keys WHERE merchant_id = $1 AND revoked_at IS NULL), (SELECT count(*) FROM webhooks WHERE merchant_id = $1 AND deleted_at IS NULL),
		(SELECT count(*) FROM backup_codes WHERE merchant_id = $1),
		num_nonnulls(payout_address_sealed, auto_swap_ticker, totp_secret_sealed, own_wallet_id, next_wallet_id), refund_auto_up_to, refund_key_approves)
		FROM merchants WHERE merchant_id = $1`, s.id).Scan(&counts))
	return counts
}

const noGrants = "0 0 0 0 0 0 0 f"

// TestWhoTakesAnAccountOverOwnsItAlone lets a stranger sign up with another person's address.
// That person then sets a new password by mail.
func TestWhoTakesAnAccountOverOwnsItAlone(t *testing.T) {
	t.Parallel()
	p, n := takeoverBench(t)
	accomplice := p.confirmedSignup(t)
	squat := p.signup(t)
	ofSignUp := p.link(t, squat.email, 1)
	for path, body := range map[string]string{
		"/api/account/staff/invites":    `{"role":"owner"}`,
		"/api/account/application-keys": `{"label":"Shop","mode":"live","permissions":["btcpay.store.canmodifystoresettings"]}`,
		"/api/webhooks":                 `{"url":"https://receiver.example/","events":["charge.confirmed"]}`,
	} {
		refused := p.as(t, squat, http.MethodPost, path, body).require(t, http.StatusForbidden, path)
		require.Contains(t, refused.body, "not verified")
	}
	application := p.plant(t, squat, accomplice)
	p.send(t, http.MethodGet, "/api/charges", key(application), "").require(t, http.StatusOK)
	desk := p.worksFor(t, accomplice, squat)
	require.Equal(t, http.StatusOK, desk.send(t, http.MethodGet, "/charges", nil).status)

	n.forgot(t, squat.email).require(t, http.StatusOK)
	n.reset(t, n.resets(t, squat.email, 1)[0], newPassword).require(t, http.StatusOK)

	require.Equal(t, noGrants, p.grants(t, squat))
	for _, k := range []string{squat.live, squat.test, application} {
		p.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusUnauthorized)
	}
	p.as(t, squat, http.MethodGet, "/api/auth/me", "").require(t, http.StatusUnauthorized)
	require.NotEqual(t, http.StatusOK, desk.send(t, http.MethodGet, "/charges", nil).status)
	require.JSONEq(t, `{"shops":[]}`, p.as(t, accomplice, http.MethodGet, "/api/account/shops", "").body)
	require.Contains(t, n.mail(t, squat.email, "Your account is yours alone").Text, "Create new API keys")

	// The sign-up's mail still confirms the address.
	p.login(t, squat.email, newPassword).require(t, http.StatusForbidden)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, ofSignUp).status)
	squat.token = p.login(t, squat.email, newPassword).require(t, http.StatusOK).text(t, "token")
	squat.live = p.as(t, squat, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK).text(t, "apiKey")
	p.as(t, squat, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
	require.NotNil(t, p.as(t, squat, http.MethodGet, "/api/auth/me", "").field(t, "merchant.payoutHoldUntil"), "there was another payout address")
	p.charge(t, squat, config.Live)
	require.NotEqual(t, http.StatusOK, desk.send(t, http.MethodGet, "/charges", nil).status)
}

// TestTheFirstConfirmationKeepsTheKeys checks that the keys from the sign-up stay, because the
// shop uses them already, and that earlier grants end.
func TestTheFirstConfirmationKeepsTheKeys(t *testing.T) {
	t.Parallel()
	p, _ := takeoverBench(t)
	accomplice, s := p.confirmedSignup(t), p.signup(t)
	old := p.signup(t)
	p.plant(t, s, accomplice)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, s.email, 1)).status)
	require.Equal(t, noGrants, p.grants(t, s))
	p.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)

	// A shop that was opened while addresses were not verified keeps its grants.
	p.exec(t, "UPDATE merchants SET verify_by = NULL WHERE merchant_id = $1", old.id)
	p.employ(t, old, accomplice, permission.Support)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, p.link(t, old.email, 1)).status)
	require.Equal(t, "1 0 0 0 0 0 0 f", p.grants(t, old))
}

var endLink = regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(publicURL) + `(/end-access/[\w-]+)$`)

// TestALaterResetListsWhatStays checks that one button ends all of it, once.
func TestALaterResetListsWhatStays(t *testing.T) {
	t.Parallel()
	p, n := takeoverBench(t)
	person, s := p.confirmedSignup(t), p.confirmedSignup(t)
	p.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
	p.employ(t, s, person, permission.Owner)
	application := p.scoped(t, s, "Shop", permission.ModifyStoreSettings)
	wallet := p.ownWallet(t, s)
	p.exec(t, "UPDATE merchants SET next_wallet_id = $2, wallet_change_at = now() + interval '1 day' WHERE merchant_id = $1", s.id, wallet)
	stays := []string{s.live[:12], s.test[:12], "48DCHZ…3FaS4u", wallet[:6] + "…" + wallet[len(wallet)-6:]}
	elsewhere := p.confirmedSignup(t)
	p.employ(t, elsewhere, s, permission.Cashier)

	n.forgot(t, s.email).require(t, http.StatusOK)
	done := shopper{b: p.bench}.send(t, http.MethodPost, "/reset-password/"+n.resets(t, s.email, 1)[0], url.Values{"password": {newPassword}})
	require.Equal(t, http.StatusOK, done.status)
	p.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK, "a reset ends sessions alone")
	mail := n.mail(t, s.email, "Your password was reset")
	mailed := endLink.FindStringSubmatch(mail.Text)
	require.NotNil(t, mailed, mail.Text)
	page := p.page(t, http.MethodGet, mailed[1])
	for _, body := range []string{done.body, page.body, mail.Text, mail.HTML} {
		for _, part := range stays {
			require.Contains(t, body, part)
		}
		require.NotContains(t, body, "<script")
	}
	require.Contains(t, mail.HTML, mailed[1])
	require.Equal(t, "1 0 1 0 0 2 0 f", p.grants(t, s), "opening the page changes nothing")

	action := regexp.MustCompile(`action="(/end-access/[^"]+)"`).FindStringSubmatch(done.body)
	require.NotNil(t, action)
	for path, status := range map[string]int{"/end-access/": http.StatusNotFound, mailed[1] + "x": http.StatusGone, mailed[1][:40]: http.StatusGone} {
		require.Equal(t, status, p.page(t, http.MethodPost, path).status, path)
	}
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, action[1]).status)
	for _, path := range []string{action[1], mailed[1]} {
		require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, path).status, "once")
		require.Equal(t, http.StatusGone, p.page(t, http.MethodGet, path).status)
	}
	require.Equal(t, noGrants, p.grants(t, s))
	for _, k := range []string{s.live, s.test, application} {
		p.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusUnauthorized)
	}
	n.mail(t, s.email, "All access to your account was ended")

	require.Equal(t, "1", strings.Fields(p.grants(t, elsewhere))[0], "work in other shops is theirs")

	// A thief who reads the mailbox cannot avoid the hold with this link, nor by waiting.
	p.clock.advance(25 * time.Hour)
	s.token = p.login(t, s.email, newPassword).require(t, http.StatusOK).text(t, "token")
	p.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, anotherAddress)).require(t, http.StatusOK)
	require.NotNil(t, p.as(t, s, http.MethodGet, "/api/auth/me", "").field(t, "merchant.payoutHoldUntil"))
}

// TestTheLinkThatEndsWhatStaysEnds checks that the link expires after an hour, and with a new
// password.
func TestTheLinkThatEndsWhatStaysEnds(t *testing.T) {
	t.Parallel()
	p, n := takeoverBench(t)
	s := p.confirmedSignup(t)
	ask := func(count int) string {
		n.forgot(t, s.email).require(t, http.StatusOK)
		done := shopper{b: p.bench}.send(t, http.MethodPost, "/reset-password/"+n.resets(t, s.email, count)[0], url.Values{"password": {newPassword}})
		found := regexp.MustCompile(`action="(/end-access/[^"]+)"`).FindStringSubmatch(done.body)
		require.NotNil(t, found, done.body)
		return found[1]
	}
	first := ask(1)
	second := ask(2)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, first).status, "another password was taken")
	p.exec(t, `UPDATE merchants SET email_index = email_index || '\x00' WHERE merchant_id = $1`, s.id)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodGet, second).status, "the mailbox is another's")
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, second).status)
	p.exec(t, `UPDATE merchants SET email_index = substr(email_index, 1, length(email_index) - 1) WHERE merchant_id = $1`, s.id)
	require.Equal(t, http.StatusOK, p.page(t, http.MethodGet, second).status)
	p.clock.advance(time.Hour)
	require.Equal(t, http.StatusGone, p.page(t, http.MethodPost, second).status, "an hour is over")
	p.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)
}
