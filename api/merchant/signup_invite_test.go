package merchant_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/secret"
)

// operators returns the operators' functions on the API's database.
func (b *bench) operators() *operator.Admin {
	return &operator.Admin{Store: b.store, Box: b.box, Clock: b.clock.Now}
}

func (b *bench) open(t *testing.T, email, invite string) answer {
	t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password, "businessName": "Shop", "invite": invite})
	require.NoError(t, err)
	return b.send(t, http.MethodPost, "/api/auth/signup", anonymous(), string(body))
}

func signUp(to config.SignUp) func(*merchant.Deps) { return func(d *merchant.Deps) { d.SignUp = to } }

func TestClosedSignUpOpensNoAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, signUp(config.SignUpClosed))
	invite, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "")
	require.NoError(t, err)
	b.open(t, "a@example.com", "").require(t, http.StatusForbidden)
	b.open(t, "a@example.com", invite.Token).require(t, http.StatusForbidden)
	require.Zero(t, b.count(t, "merchants"))
}

// An invite opens one account, until it expires. A sign-up that fails for another reason does
// not use it up.
func TestSignUpByInvite(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, signUp(config.SignUpInvite)).roaming()
	invite, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "for the tea shop")
	require.NoError(t, err)
	for _, bad := range []string{"", "inv_", secret.NewInvite(), invite.Token[:len(invite.Token)-1], invite.Token + "0", " " + invite.Token, invite.ID} {
		b.open(t, "a@example.com", bad).require(t, http.StatusForbidden, bad)
	}
	b.send(t, http.MethodPost, "/api/auth/signup", anonymous(),
		fmt.Sprintf(`{"email":"a@example.com","password":"short","businessName":"Shop","invite":%q}`, invite.Token)).require(t, http.StatusBadRequest)
	b.send(t, http.MethodPost, "/api/auth/signup", anonymous(),
		`{"email":"a@example.com","password":"long enough to do","businessName":"Shop","invite":7}`).require(t, http.StatusBadRequest)
	made := b.open(t, "a@example.com", invite.Token).require(t, http.StatusOK)
	b.open(t, "b@example.com", invite.Token).require(t, http.StatusForbidden, "once")
	list, err := b.operators().Invites(t.Context())
	require.NoError(t, err)
	require.Equal(t, made.text(t, "merchant.merchant_id"), *list.Invites[0].MerchantID)
	require.Empty(t, list.Invites[0].Token)

	second, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "")
	require.NoError(t, err)
	b.open(t, "a@example.com", second.Token).require(t, http.StatusBadRequest, "the address is in use")
	b.clock.advance(time.Hour - time.Millisecond)
	b.open(t, "b@example.com", second.Token).require(t, http.StatusOK)
	third, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "")
	require.NoError(t, err)
	b.clock.advance(time.Hour)
	b.open(t, "c@example.com", third.Token).require(t, http.StatusForbidden, "expired")
	fourth, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "")
	require.NoError(t, err)
	_, err = b.operators().RevokeInvite(t.Context(), "cli:test", fourth.ID)
	require.NoError(t, err)
	b.open(t, "c@example.com", fourth.Token).require(t, http.StatusForbidden, "revoked")
	var actions int
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM audit WHERE action LIKE 'invite.%'").Scan(&actions))
	require.Equal(t, 5, actions)
}

// Of many simultaneous sign-ups with one invite, only one gets an account.
func TestAnInviteIsGoodOnceAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, signUp(config.SignUpInvite))
	invite, err := b.operators().CreateInvite(t.Context(), "cli:test", time.Hour, "")
	require.NoError(t, err)
	statuses := make([]int, 8)
	var wait sync.WaitGroup
	for n := range statuses {
		wait.Go(func() { statuses[n] = b.open(t, fmt.Sprintf("%d@example.com", n), invite.Token).status })
	}
	wait.Wait()
	counts := map[int]int{}
	for _, status := range statuses {
		counts[status]++
	}
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusForbidden: 7}, counts)
	require.Equal(t, 1, b.count(t, "merchants"))
}

func TestInvitesHaveBounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, life := range []time.Duration{0, -time.Second, operator.MaxInviteLife + 1} {
		_, err := b.operators().CreateInvite(t.Context(), "cli:test", life, "")
		require.Error(t, err, life)
	}
	_, err := b.operators().CreateInvite(context.WithoutCancel(t.Context()), "cli:test", operator.MaxInviteLife, "")
	require.NoError(t, err)
	_, err = b.operators().RevokeInvite(t.Context(), "cli:test", "in_0123456789abcdef01234567")
	require.Error(t, err)
}

// count returns the number of rows in a table.
func (b *bench) count(t *testing.T, table string) (n int) {
	t.Helper()
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
	return n
}
