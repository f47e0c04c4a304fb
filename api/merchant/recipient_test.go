package merchant_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// An address gets five mails a day, no matter who requests them, and the answer is always the
// same. The last link that was sent stays valid.
func TestAnAddressGetsFewMails(t *testing.T) {
	t.Parallel()
	p := setupWithMail(t, withLimits)
	s := p.signup(t)
	resend := fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password)
	for n := range 4 {
		p.link(t, s.email, n+1)
		p.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), resend).require(t, http.StatusOK)
	}
	last := p.link(t, s.email, 5)
	other := p.elsewhere("127.0.2.1").signup(t)
	change := func(to string) answer {
		return p.send(t, http.MethodPut, "/api/account/email", session(other.token), fmt.Sprintf(`{"email":%q,"password":%q}`, to, password))
	}
	fresh := secret.NewID("new") + "@example.com"
	was := p.verification(t, other.id)
	refused := p.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), resend).require(t, http.StatusOK)
	require.JSONEq(t, `{"ok":true}`, refused.body)
	victim := change(s.email).require(t, http.StatusOK)
	require.Equal(t, was, p.verification(t, other.id), "no mail is begun to the address, by anybody")
	allowed := change(fresh).require(t, http.StatusOK)
	require.Equal(t, allowed.body, victim.body)
	require.NotEqual(t, was, p.verification(t, other.id))
	p.link(t, fresh, 1) // a later mail has arrived, so no earlier one is on its way
	require.Equal(t, last, p.link(t, s.email, 5))
	require.Equal(t, http.StatusOK, p.page(t, http.MethodPost, last).status)
}

// verification returns the identifier of an account's verification.
func (p *postBench) verification(t *testing.T, merchantID string) (id string) {
	t.Helper()
	require.NoError(t, p.store.Pool().QueryRow(t.Context(), "SELECT id FROM email_verifications WHERE merchant_id = $1", merchantID).Scan(&id))
	return id
}
