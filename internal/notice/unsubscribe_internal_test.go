package notice

import (
	"bytes"
	netmail "net/mail"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestMailsThatCanBeEndedSayHow(t *testing.T) {
	t.Parallel()
	s, err := NewSender(config.Mail{SMTPHost: "localhost", SMTPPort: 25, SMTPTLS: config.MailTLSOff, MailFrom: "noreply@example.com"}, "")
	require.NoError(t, err)
	headers := func(m Message) netmail.Header {
		msg, err := s.compose(m)
		require.NoError(t, err)
		var written bytes.Buffer
		_, err = msg.WriteTo(&written)
		require.NoError(t, err)
		read, err := netmail.ReadMessage(&written)
		require.NoError(t, err)
		return read.Header
	}
	m := Message{ID: "nm_1", To: "shop@example.com", Subject: "s", Text: "t", HTML: "h"}
	require.Empty(t, headers(m).Get("List-Unsubscribe"))
	m.Unsubscribe = "https://pay.example/notices/off/" + strings.Repeat("aB-_", 60)
	require.Equal(t, "<"+m.Unsubscribe+">", headers(m).Get("List-Unsubscribe"))
	require.Equal(t, "List-Unsubscribe=One-Click", headers(m).Get("List-Unsubscribe-Post"))
}
