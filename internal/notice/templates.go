package notice

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"text/template"
	"time"
)

//go:embed templates
var templateFiles embed.FS

// Templates turns what a mail says into messages.
type Templates struct {
	text *template.Template
	html *htmltemplate.Template
	// kinds has what mails say about each Kind and each BusinessKind.
	kinds map[string]said
	// receipts has the texts of receipts, by language.
	receipts map[string]receiptTexts
}

// said is what mails say about a kind: the subject of one, its sentence, and for notices
// of business what a sum counts.
type said struct {
	Subject string `json:"subject"`
	Said    string `json:"said"`
	Counted string `json:"counted"`
}

// NewTemplates panics on a template that does not parse: they are embedded.
func NewTemplates() *Templates {
	t := &Templates{
		text: template.Must(template.ParseFS(templateFiles, "templates/*.txt")),
		html: htmltemplate.Must(htmltemplate.ParseFS(templateFiles, "templates/*.html")),
	}
	kinds, err := templateFiles.ReadFile("templates/kinds.json")
	if err == nil {
		err = json.Unmarshal(kinds, &t.kinds)
	}
	if err == nil {
		t.receipts, err = loadReceipts()
	}
	if err != nil {
		panic(err)
	}
	return t
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

// ChangeMail is a mail to a merchant about a change of the account.
type ChangeMail struct {
	// ID becomes the message's.
	ID, To string
	Kind   Kind
	// Shop is the merchant's name, and PublicURL the base of links, without a trailing slash.
	Shop, PublicURL string
	// PayoutAddress is the address now, masked; empty for none.
	PayoutAddress string
	// At is when it was changed, HoldUntil until when what it allows waits because of
	// it, or nil.
	At        time.Time
	HoldUntil *time.Time
	// Stays is what a reset of the password left, and EndLink opens the page that ends it
	// all; empty for any other change.
	Stays   Grants
	EndLink string
}

// ChangeMail is the mail about a change; an error for a kind that has no text.
func (t *Templates) ChangeMail(n ChangeMail) (Message, error) {
	says, ok := t.kinds[string(n.Kind)]
	if !ok {
		return Message{}, fmt.Errorf("mail: no text for the notice %q", n.Kind)
	}
	data := noticeData{
		Subject: says.Subject, Said: says.Said, At: minute(n.At), Waits: "Payouts wait", Stays: n.Stays, EndLink: n.EndLink, Shop: n.Shop,
		Deleted: n.Kind == Deleted,
	}
	if page, has := n.Kind.page(); has {
		data.Link = n.PublicURL + deskPath + page
	}
	if n.Kind == PayoutAddress {
		data.Is = n.PayoutAddress
	}
	if n.Kind == RefundApproval {
		data.Waits = "Every refund needs your approval"
	}
	if n.Kind == Wallet {
		data.Waits = "New charges still pay the former wallet"
	}
	if n.HoldUntil != nil {
		data.HoldUntil = minute(*n.HoldUntil)
	}
	return t.render(Message{ID: n.ID, To: n.To, Subject: says.Subject}, "notice", data)
}

// noticeData is what the templates of a notice fill in. Waits is what waits until HoldUntil, Is what
// the changed value is now, and Link the page that shows it; empty for none.
type noticeData struct {
	Subject, Said, At, Waits, HoldUntil, EndLink, Shop, Is, Link string
	Deleted                                                      bool
	Stays                                                        Grants
}

// page returns the page of the desk that shows what was changed; false if there is none any more.
func (k Kind) page() (string, bool) {
	switch k {
	case Deleted:
		return "", false
	case PayoutAddress, RefundApproval, Wallet:
		return "settings", true
	case AutoSwap:
		return "swaps", true
	case TwoFactorOn, TwoFactorOff, TwoFactorReset:
		return "settings/two-factor", true
	case APIKey, KeyGranted, KeyRevoked:
		return "keys", true
	case StaffInvited, StaffJoined, StaffRole:
		return "staff", true
	case RefundApproved:
		return "refunds", true
	default:
		return deskAccount, true
	}
}

// minute is a moment as mails write it.
func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }
