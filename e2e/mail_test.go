package e2e

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
)

// TestVerificationOutlivesDeaths signs up while the worker is dead and no mail
// server runs. Both come back one after the other, and the merchant logs in after
// using the link in the mail, which is not lost.
func TestVerificationOutlivesDeaths(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	w.with(t, map[string]string{"EMAIL_VERIFICATION": "required"})
	require.NoError(t, w.Stack.Kill("mail"))
	require.NoError(t, w.Stack.Kill("worker"))
	email, password := fmt.Sprintf("mail-%s@shop.example", rand.Text()), rand.Text()
	_, c, err := clients.SignUp(within(t), w.url, email, password, "Mail shop")
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, clients.Status(c.LogIn(within(t), email, password)))

	require.NoError(t, w.Stack.StartPart(within(t), "worker"))
	require.NoError(t, w.Stack.StartPart(within(t), "mail"))
	link := mailedLink(t, w, email)
	require.Equal(t, http.StatusOK, visit(t, http.MethodGet, link))
	require.Equal(t, http.StatusForbidden, clients.Status(c.LogIn(within(t), email, password)), "opening the page confirms nothing")
	require.Equal(t, http.StatusOK, visit(t, http.MethodPost, link))
	require.NoError(t, c.LogIn(within(t), email, password))
	require.Equal(t, http.StatusGone, visit(t, http.MethodPost, link), "the link works once")
	require.NoError(t, w.Stack.WaitReady(within(t), "merchant-api"))
}

var verifyLink = regexp.MustCompile(`(?m)^http\S+/verify-email/[0-9a-f]{64}$`)

// mailedLink is the link in the mail to an address, which may come again with
// the same link.
func mailedLink(t *testing.T, w *testbed, to string) string {
	t.Helper()
	var mails []struct {
		To   string `json:"to"`
		Text string `json:"text"`
	}
	eventually(t, "a mail to "+to, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.Stack.Env()["MAIL_URL"]+"/messages?to="+url.QueryEscape(to), http.NoBody)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		err = json.NewDecoder(res.Body).Decode(&mails)
		if err == nil && len(mails) == 0 {
			err = errors.New("not yet")
		}
		return err
	})
	link := verifyLink.FindString(mails[0].Text)
	require.NotEmpty(t, link, mails[0].Text)
	for _, mail := range mails {
		require.Equal(t, to, mail.To)
		require.Equal(t, link, verifyLink.FindString(mail.Text))
	}
	return link
}

// visit is the status of a page.
func visit(t *testing.T, method, link string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, link, http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}
