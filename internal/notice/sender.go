package notice

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/durapay/durapay/internal/config"
)

// ErrRefused is returned when the server will not take a mail for this address, now
// or later. After any other error another attempt may succeed.
var ErrRefused = errors.New("the mail server refuses the recipient")

// conversation bounds the whole exchange with the server.
const conversation = 30 * time.Second

// Message is a mail to one recipient.
type Message struct {
	// ID is unique and stays the same when the message is retried.
	ID      string
	To      string
	Subject string
	Text    string
	HTML    string
	// Unsubscribe is a URL that ends mails of this kind when it gets a POST (RFC 8058);
	// empty for mails that cannot be ended.
	Unsubscribe string
}

// Sender hands mails to one server, each over a connection of its own.
type Sender struct {
	host    string
	options []gomail.Option
	from    *mail.Address
}

// NewSender uses the server of the settings, logging in with password when
// they name a user. It does not connect yet.
func NewSender(c config.Mail, password string) (*Sender, error) {
	from, err := mail.ParseAddress(c.MailFrom)
	if err != nil {
		return nil, errors.New("MAIL_FROM is not an address")
	}
	s := &Sender{host: c.SMTPHost, from: from, options: []gomail.Option{
		gomail.WithPort(c.SMTPPort), gomail.WithTimeout(conversation),
	}}
	switch c.SMTPTLS {
	case config.MailTLSFirst:
		s.options = append(s.options, gomail.WithSSL())
	case config.MailTLSOff:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	case config.MailStartTLS:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if c.SMTPUser != "" {
		s.options = append(s.options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover),
			gomail.WithUsername(c.SMTPUser), gomail.WithPassword(password))
	}
	if _, err := gomail.NewClient(s.host, s.options...); err != nil {
		return nil, errors.New("the settings of the mail server cannot be used")
	}
	return s, nil
}

// Send hands a message over; when it returns nil the server is responsible for it.
// It returns ErrRefused when the server does not accept the address or the address
// does not exist. After other errors another attempt may succeed.
func (s *Sender) Send(ctx context.Context, m Message) error {
	msg, err := s.compose(m)
	if err != nil {
		return err
	}
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return errors.New("the settings of the mail server cannot be used")
	}
	ctx, cancel := context.WithTimeout(ctx, conversation)
	defer cancel()
	if err := client.DialAndSendWithContext(ctx, msg); err != nil && !msg.IsDelivered() {
		return describe(err)
	}
	return nil // a failure after the server took the message does not matter
}

func (s *Sender) compose(m Message) (*gomail.Msg, error) {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(s.from)
	if err := msg.To(m.To); err != nil {
		return nil, ErrRefused
	}
	msg.Subject(m.Subject)
	msg.SetDate()
	_, domain, _ := strings.Cut(s.from.Address, "@")
	msg.SetMessageIDWithValue(m.ID + "@" + domain)
	// Programs that answer mails should not answer this one (RFC 3834).
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" {
		msg.SetGenHeaderPreformatted("List-Unsubscribe", "<"+m.Unsubscribe+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	return msg, nil
}

// describe says what failed without the server's text, which often repeats
// the address.
func describe(err error) error {
	var failed *gomail.SendError
	switch {
	case !errors.As(err, &failed):
		return errors.New("the mail server could not be reached or refused the login")
	case failed.Reason == gomail.ErrSMTPRcptTo && failed.ErrorCode() >= 500:
		return ErrRefused
	default:
		return fmt.Errorf("the mail server did not take the mail (%s, status %d)", failed.Reason, failed.ErrorCode())
	}
}
