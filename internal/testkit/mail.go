package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/mail"
	"github.com/emersion/go-smtp"
	"golang.org/x/sync/errgroup"
)

// Limits of the stored mails: their number, and the bytes of each.
const (
	maxMails = 1000
	maxBytes = 1 << 20
)

// Mail is a mail to one recipient.
type Mail struct {
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	HTML    string    `json:"html"`
	Date    time.Time `json:"date"`
}

// MailServer is the mail server of the development stack: it accepts every mail over SMTP,
// delivers none, and shows them over HTTP. GET /messages?to=ADDRESS returns the mails to an
// address, newest first, as [{to, subject, text, html, date}]; without an address it returns all
// mails. GET / shows them to people. It keeps the newest thousand in memory.
type MailServer struct {
	mu       sync.Mutex
	mails    []Mail
	refusals map[string]int
}

// Refuse answers every mail to an address with an SMTP status, such as 550 or 451; 0 accepts
// mails again.
func (c *MailServer) Refuse(to string, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusals == nil {
		c.refusals = map[string]int{}
	}
	c.refusals[to] = status
}

// Messages returns the mails to an address, or all mails, newest first.
func (c *MailServer) Messages(to string) []Mail {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := []Mail{}
	for _, m := range slices.Backward(c.mails) {
		if to == "" || strings.EqualFold(m.To, to) {
			found = append(found, m)
		}
	}
	return found
}

// ServeHTTP answers GET / and GET /messages.
func (c *MailServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = mailPage.Execute(w, c.Messages("")) // the client has disconnected if this fails
		return
	case "/messages":
	default:
		http.NotFound(w, r)
		return
	}
	// An address has no space: a space is a plus that was not escaped.
	to := strings.ReplaceAll(r.URL.Query().Get("to"), " ", "+")
	found, err := json.Marshal(c.Messages(to))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(found) // the client has disconnected if this fails
}

// ServeSMTP accepts mails on the listener until the context ends.
func (c *MailServer) ServeSMTP(ctx context.Context, l net.Listener) error {
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: c}, nil }))
	server.Domain, server.MaxMessageBytes, server.EnableSMTPUTF8 = "localhost", maxBytes, true
	server.ReadTimeout, server.WriteTimeout = time.Minute, time.Minute
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); err != nil && !errors.Is(err, smtp.ErrServerClosed) && ctx.Err() == nil {
		return fmt.Errorf("smtp: %w", err)
	}
	return nil
}

func (c *MailServer) refusal(to string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if status := c.refusals[to]; status != 0 {
		return &smtp.SMTPError{Code: status, EnhancedCode: smtp.EnhancedCode{status / 100, 0, 0}, Message: "no mail for " + to}
	}
	return nil
}

func (c *MailServer) keep(messages []Mail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mails = append(c.mails, messages...)
	if over := len(c.mails) - maxMails; over > 0 {
		c.mails = slices.Delete(c.mails, 0, over)
	}
}

type session struct {
	server *MailServer
	to     []string
}

// Reset discards the current mail.
func (s *session) Reset() { s.to = nil }

// Logout ends the session.
func (s *session) Logout() error { return nil }

// Mail begins a mail.
func (s *session) Mail(string, *smtp.MailOptions) error { return nil }

// Rcpt adds a recipient.
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if err := s.server.refusal(to); err != nil {
		return err
	}
	s.to = append(s.to, to)
	return nil
}

// Data stores the mail: one message for each recipient.
func (s *session) Data(r io.Reader) error {
	read, err := parse(r)
	if err != nil {
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 6, 0}, Message: "not a mail: " + err.Error()}
	}
	messages := make([]Mail, len(s.to))
	for i, to := range s.to {
		messages[i] = read
		messages[i].To = to
	}
	s.server.keep(messages)
	return nil
}

// ServeMails accepts mails on one address and shows them on another until the context ends.
func ServeMails(ctx context.Context, smtpAddr, httpAddr string) error {
	// Open both listeners before serving, so that a client that reaches one also reaches the
	// other.
	var config net.ListenConfig
	mails, err := config.Listen(ctx, "tcp", smtpAddr)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	web, err := config.Listen(ctx, "tcp", httpAddr)
	if err != nil {
		return errors.Join(fmt.Errorf("mail: %w", err), mails.Close())
	}
	c := &MailServer{}
	server := &http.Server{Handler: c, ReadHeaderTimeout: 10 * time.Second}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return c.ServeSMTP(ctx, mails) })
	group.Go(func() error {
		if err := server.Serve(web); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("mail: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
	return group.Wait()
}

// parse reads a mail with its text and HTML parts, decoded.
func parse(r io.Reader) (Mail, error) {
	entity, err := message.Read(r)
	if err != nil {
		return Mail{}, fmt.Errorf("headers: %w", err)
	}
	header, m := mail.Header{Header: entity.Header}, Mail{Date: time.Now().UTC()}
	if m.Subject, err = header.Subject(); err != nil {
		return Mail{}, fmt.Errorf("subject: %w", err)
	}
	if at, err := header.Date(); err == nil && !at.IsZero() {
		m.Date = at.UTC()
	}
	err = entity.Walk(func(_ []int, part *message.Entity, err error) error {
		if err != nil {
			return err
		}
		media, _, err := part.Header.ContentType()
		if err != nil {
			media = "text/plain"
		}
		if strings.HasPrefix(media, "multipart/") {
			return nil // its parts follow
		}
		content, err := io.ReadAll(part.Body)
		if err != nil {
			return fmt.Errorf("part: %w", err)
		}
		text := strings.ReplaceAll(string(content), "\r\n", "\n")
		switch media {
		case "text/plain":
			m.Text += text
		case "text/html":
			m.HTML += text
		}
		return nil
	})
	return m, err
}
