package testkit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/smtp"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// free returns an address on which no process listens.
func free(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(testkit.Port(t)))
}

func TestMailsAreShownByAddressNewestFirst(t *testing.T) {
	t.Parallel()
	mails, web := free(t), free(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- testkit.ServeMails(ctx, mails, web) }()
	send := func(to, content string) error {
		return smtp.SendMail(mails, nil, "shop@example.com", []string{to}, []byte(strings.ReplaceAll(content, "\n", "\r\n")))
	}
	require.Eventually(t, func() bool { return send("one@example.com", "Subject: first\n\nplain\n") == nil }, 8*time.Minute, 20*time.Millisecond)
	require.NoError(t, send("two+tag@example.com", "Subject: other\n\nx\n"))
	require.NoError(t, send("one@example.com", `Subject: =?UTF-8?q?second_=C3=BC?=
Date: Sat, 21 Nov 2026 10:30:00 +0100
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain; charset=UTF-8
Content-Transfer-Encoding: quoted-printable

a =3D b=
c
--b
Content-Type: text/html
Content-Transfer-Encoding: base64

PGI+eDwvYj4=
--b--
`))
	require.Error(t, send("one@example.com", "no header\n"))

	found := list(t, web, "ONE@example.com")
	require.Len(t, found, 2)
	require.Equal(t, map[string]any{
		"to": "one@example.com", "subject": "second ü", "text": "a = bc", "html": "<b>x</b>", "date": "2026-11-21T09:30:00Z",
	}, found[0])
	require.Equal(t, "first", found[1]["subject"])
	require.Equal(t, "plain\n", found[1]["text"])
	require.Len(t, list(t, web, ""), 3)
	require.Empty(t, list(t, web, "nobody@example.com"))
	require.Len(t, list(t, web, "two+tag@example.com"), 1)
	require.Equal(t, found, list(t, web, "one@example.com"))
	res, err := http.Get("http://" + web + "/messages?to=two+tag@example.com")
	require.NoError(t, err)
	defer res.Body.Close()
	require.Greater(t, res.ContentLength, int64(len("[]")), "a plus is taken as it is")

	cancel()
	require.NoError(t, <-ended)
}

func list(t *testing.T, web, to string) []map[string]any {
	t.Helper()
	res, err := http.Get(fmt.Sprintf("http://%s/messages?to=%s", web, url.QueryEscape(to)))
	require.NoError(t, err)
	defer res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	var found []map[string]any
	require.NoError(t, json.NewDecoder(res.Body).Decode(&found))
	require.NotNil(t, found, "no mail is an empty list")
	return found
}

func TestPeopleReadMailsInABrowser(t *testing.T) {
	t.Parallel()
	mails, web := free(t), free(t)
	go func() { _ = testkit.ServeMails(t.Context(), mails, web) }()
	page := func() string {
		res, err := http.Get("http://" + web + "/")
		require.NoError(t, err)
		defer res.Body.Close()
		require.Equal(t, http.StatusOK, res.StatusCode)
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return string(body)
	}
	content := "Subject: <b>Confirm</b>\r\n\r\nOpen https://pay.example.com/verify?a=1&b=2 <now>\r\n"
	require.Eventually(t, func() bool {
		return smtp.SendMail(mails, nil, "shop@example.com", []string{"one@example.com"}, []byte(content)) == nil
	}, 8*time.Minute, 20*time.Millisecond)
	shown := page()
	require.Contains(t, shown, "&lt;b&gt;Confirm&lt;/b&gt;")
	require.Contains(t, shown, `Open <a href="https://pay.example.com/verify?a=1&amp;b=2">https://pay.example.com/verify?a=1&amp;b=2</a> &lt;now&gt;`)
}
