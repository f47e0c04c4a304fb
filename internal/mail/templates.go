package mail

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"text/template"
	"time"

	"github.com/durapay/durapay/internal/notice"
)

//go:embed templates
var templateFiles embed.FS

// Templates turns what a mail says into messages.
type Templates struct {
	text *template.Template
	html *htmltemplate.Template
}

// NewTemplates panics on a template that does not parse: they are embedded.
func NewTemplates() *Templates {
	return &Templates{
		text: template.Must(template.ParseFS(templateFiles, "templates/*.txt")),
		html: htmltemplate.Must(htmltemplate.ParseFS(templateFiles, "templates/*.html")),
	}
}

// Verification asks the owner of an address to confirm it.
type Verification struct {
	// ID becomes the message's.
	ID, To string
	// Link opens the page with the button that confirms; Hours is how long it is valid.
	Link  string
	Hours int
}

// Verification is the mail with the link.
func (t *Templates) Verification(v Verification) (Message, error) {
	return t.render(Message{ID: v.ID, To: v.To, Subject: "Confirm your email address"}, "verification", v)
}

// render fills a template in its two forms.
func (t *Templates) render(m Message, name string, data any) (Message, error) {
	var text, html bytes.Buffer
	if err := t.text.ExecuteTemplate(&text, name+".txt", data); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	if err := t.html.ExecuteTemplate(&html, name+".html", data); err != nil {
		return Message{}, fmt.Errorf("mail: %w", err)
	}
	m.Text, m.HTML = text.String(), html.String()
	return m, nil
}

// Reset offers the owner of an address another password.
type Reset struct {
	// ID becomes the message's.
	ID, To string
	// Link opens the page with the form; Minutes is how long it is valid.
	Link    string
	Minutes int
}

// Reset is the mail with the link.
func (t *Templates) Reset(r Reset) (Message, error) {
	return t.render(Message{ID: r.ID, To: r.To, Subject: "Choose a new password"}, "reset", r)
}

// Notice is a mail to a merchant about a change of the account.
type Notice struct {
	// ID becomes the message's.
	ID, To string
	Kind   notice.Kind
	// At is when it was changed, HoldUntil until when what it allows waits because of
	// it, or nil.
	At        time.Time
	HoldUntil *time.Time
	// Stays is what a reset of the password left, and EndLink opens the page that ends it
	// all; empty for any other change.
	Stays   notice.Grants
	EndLink string
}

// noticeTexts are what notices say: subject and sentence.
func noticeTexts() map[notice.Kind][2]string {
	return map[notice.Kind][2]string{
		notice.PayoutAddress:  {"Your payout address was changed", "The payout address of your account was changed."},
		notice.AutoSwap:       {"Your automatic conversion was changed", "The automatic conversion of your payouts was changed."},
		notice.EmailAsked:     {"A change of your email address was asked for", "Another email address was entered for your account. It counts once the link in a mail to it was followed."},
		notice.Email:          {"Your email address was changed", "Your account has another email address. Mails no longer come to this one."},
		notice.Password:       {"Your password was changed", "The password of your account was changed, and every session ended."},
		notice.PasswordReset:  {"Your password was reset", "The password of your account was reset with a link that was mailed to this address, and every session ended."},
		notice.TakenOver:      {"Your account is yours alone", "The password of your account was reset with a link that was mailed to this address. Nobody had confirmed this address before, so everything that whoever opened the account may have left was ended: sessions, API keys, keys of applications, staff, webhooks, the payout address and two-factor authentication. Create new API keys in the account."},
		notice.GrantsEnded:    {"All access to your account was ended", "API keys, keys of applications, staff, webhooks, the payout address and every session of your account were ended, with a link that came with the reset of your password. Create new API keys in the account, and set your payout address."},
		notice.RefundApproval: {"More refunds need no approval", "More refunds of your shop may be paid without your approval than before, or a key may approve them."},
		notice.RefundApproved: {"A refund was approved", "A refund of your shop was approved for the first time in a session. It is paid to the address of whoever claimed it. You get no mail about the next ones of the same session."},
		notice.TwoFactorOn:    {"Two-factor authentication was enabled", "Two-factor authentication was enabled for your account, and every other session ended."},
		notice.TwoFactorOff:   {"Two-factor authentication was disabled", "Two-factor authentication was disabled for your account."},
		notice.TwoFactorReset: {"Two-factor authentication was reset", "An operator switched two-factor authentication of your account off, and ended every session."},
		notice.APIKey:         {"An API key was replaced", "An API key of your account was replaced. The former one is invalid."},
		notice.KeyGranted:     {"An application got a key", "A key for an application was made for your account. Your account's settings list all of them."},
		notice.KeyRevoked:     {"A key of an application was revoked", "A key that an application had for your account was revoked. It is invalid."},
		notice.StaffInvited:   {"An invite for your staff was made", "A link was made with which somebody can join the staff of your shop. Your account's settings list all of them."},
		notice.StaffJoined:    {"Somebody joined your staff", "Somebody joined the staff of your shop with a link that was made for it. Your account's settings list who works there."},
		notice.Deleted:        {"Your account was deleted", "Your account was deleted."},
	}
}

// Notice is the mail about a change; an error for a kind that has no text.
func (t *Templates) Notice(n Notice) (Message, error) {
	texts, ok := noticeTexts()[n.Kind]
	if !ok {
		return Message{}, fmt.Errorf("mail: no text for the notice %q", n.Kind)
	}
	data := noticeData{Subject: texts[0], Said: texts[1], At: minute(n.At), Waits: "Payouts wait", Stays: n.Stays, EndLink: n.EndLink}
	if n.Kind == notice.RefundApproval {
		data.Waits = "Every refund needs your approval"
	}
	if n.HoldUntil != nil {
		data.HoldUntil = minute(*n.HoldUntil)
	}
	return t.render(Message{ID: n.ID, To: n.To, Subject: texts[0]}, "notice", data)
}

// noticeData is what the templates of a notice fill in. Waits is what waits until HoldUntil.
type noticeData struct {
	Subject, Said, At, Waits, HoldUntil, EndLink string
	Stays                                        notice.Grants
}

// minute is a moment as mails write it.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
