package notice_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/testkit"
)

// server starts a mail server and returns the settings that lead to it.
func server(t *testing.T) (*testkit.MailServer, config.Mail) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &testkit.MailServer{}
	go func() { _ = c.ServeSMTP(t.Context(), l) }()
	host, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	number, err := strconv.Atoi(port)
	require.NoError(t, err)
	return c, config.Mail{SMTPHost: host, SMTPPort: number, SMTPTLS: config.MailTLSOff, MailFrom: "Durapay <noreply@example.com>"}
}

func TestVerificationMailArrives(t *testing.T) {
	t.Parallel()
	c, settings := server(t)
	sender, err := notice.NewSender(settings, "")
	require.NoError(t, err)
	m, err := notice.NewTemplates().Verification(notice.Verification{
		ID: "em_1", To: "shop+tag@example.com", Link: "https://pay.example.com/verify-email/0123?a=b&c", Hours: 24,
	})
	require.NoError(t, err)
	require.NoError(t, sender.Send(t.Context(), m))
	got := c.Messages("shop+tag@example.com")
	require.Len(t, got, 1)
	require.Equal(t, "Confirm your email address", got[0].Subject)
	require.Contains(t, got[0].Text, "\nhttps://pay.example.com/verify-email/0123?a=b&c\n")
	require.Contains(t, got[0].HTML, `<a href="https://pay.example.com/verify-email/0123?a=b&amp;c">`)
	require.NotContains(t, got[0].HTML, "<img")
}

func TestOnlyARefusedRecipientIsFinal(t *testing.T) {
	t.Parallel()
	c, settings := server(t)
	sender, err := notice.NewSender(settings, "")
	require.NoError(t, err)
	send := func(to string) error {
		return sender.Send(t.Context(), notice.Message{ID: "em_1", To: to, Subject: "s", Text: "t", HTML: "h"})
	}
	c.Refuse("gone@example.com", 550)
	c.Refuse("busy@example.com", 451)
	require.ErrorIs(t, send("gone@example.com"), notice.ErrRefused)
	require.ErrorIs(t, send("not an address"), notice.ErrRefused)
	later := send("busy@example.com")
	require.Error(t, later)
	require.NotErrorIs(t, later, notice.ErrRefused)
	require.NotContains(t, later.Error(), "busy@", "errors name no address")
	c.Refuse("busy@example.com", 0)
	require.NoError(t, send("busy@example.com"))

	settings.SMTPTLS = config.MailStartTLS
	careful, err := notice.NewSender(settings, "")
	require.NoError(t, err)
	plain := careful.Send(t.Context(), notice.Message{ID: "em_2", To: "shop@example.com", Subject: "s", Text: "t", HTML: "h"})
	require.Error(t, plain, "a server without TLS gets no mail")
	require.NotErrorIs(t, plain, notice.ErrRefused)
	require.Empty(t, c.Messages("shop@example.com"))

	settings.MailFrom = "nobody"
	_, err = notice.NewSender(settings, "")
	require.Error(t, err)
}
