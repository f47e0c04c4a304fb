package notice

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/webhook"
)

// MaxBusinessLines is how many notices a mail tells one by one.
const MaxBusinessLines = 10

// BusinessMail tells a merchant what happened in the business: one notice, several at once,
// or a day's digest.
type BusinessMail struct {
	// ID becomes the message's.
	ID, To string
	// Shop is the merchant's name, and PublicURL the base of links, without a trailing slash.
	Shop, PublicURL string
	// DigestAt is the end of what a digest tells; nil for a mail at once.
	DigestAt *time.Time
	// Sums are of all notices of the mail, by kind; at least one.
	Sums []BusinessSum
	// First are the oldest of them, at most MaxBusinessLines. A digest tells sums alone.
	First []BusinessLine
	// OffLink opens the page that turns the kinds of the mail off, and does so when it
	// gets a POST.
	OffLink string
}

// BusinessLine is a notice with what names it for its merchant.
type BusinessLine struct {
	Kind       BusinessKind
	ResourceID string
	// Amount is nil for a notice that is not about money.
	Amount *money.Piconero
	At     time.Time
	// Order and Description are a charge's, and Receiver is the address of a delivery's webhook;
	// empty if there is none.
	Order, Description, Receiver string
}

// mailLine is a sentence, with a link to what it is about; empty for none.
type mailLine struct{ Text, Link string }

// BusinessSum is the number of notices of a kind, and the sum of their amounts in
// piconero.
type BusinessSum struct {
	Kind   BusinessKind
	Count  int64
	Atomic money.Decimal
}

// BusinessMail is the mail; an error for one that tells nothing, or a kind that has no text.
func (t *Templates) BusinessMail(b BusinessMail) (Message, error) {
	data := struct {
		Subject, Shop, Link, OffLink string
		Lines                        []mailLine
		Login                        bool
	}{OffLink: b.OffLink, Shop: b.Shop, Link: b.PublicURL + deskPath}
	var total int64
	var sums []mailLine
	var kinds []string
	for _, s := range b.Sums {
		says, ok := t.kinds[string(s.Kind)]
		if !ok {
			return Message{}, fmt.Errorf("mail: no text for the notice %q", s.Kind)
		}
		total += s.Count
		sums = append(sums, mailLine{Text: sumLine(says.Counted, s)})
		kinds = append(kinds, says.Subject)
		data.Login = data.Login || s.Kind == NewLogin
	}
	if total == 0 {
		return Message{}, fmt.Errorf("mail: %s tells nothing", b.ID)
	}
	switch {
	case b.DigestAt != nil:
		data.Subject, data.Lines = "What happened until "+minute(*b.DigestAt), sums
	default:
		data.Subject = kinds[0]
		for _, n := range b.First {
			data.Lines = append(data.Lines, mailLine{t.noticeLine(n), b.PublicURL + deskPath + n.page()})
		}
		if total > 1 {
			data.Subject = fmt.Sprintf("%s, and %d more", kinds[0], total-1)
		}
		if more := total - int64(len(b.First)); more > 0 {
			data.Lines = append(data.Lines, mailLine{Text: fmt.Sprintf("And %d more. All together:", more)})
			data.Lines = append(data.Lines, sums...)
		}
	}
	return t.render(Message{ID: b.ID, To: b.To, Subject: data.Subject, Unsubscribe: b.OffLink}, "business", data)
}

// sumLine shows the number of notices of a kind and the exact sum of their amounts, in XMR.
func sumLine(counted string, s BusinessSum) string {
	if s.Atomic.Sign() == 0 {
		return fmt.Sprintf("%s: %d.", counted, s.Count)
	}
	return fmt.Sprintf("%s: %d, together %s XMR.", counted, s.Count, s.Atomic.Mul(money.Piconero(1).Decimal()))
}

// shownID is how many characters of an identifier a mail shows, where the whole
// identifier would open a page to anyone who reads the mail.
const shownID = len("ch_") + 8

// deskPath is the path of the merchants' home page, and those that follow are pages below it.
const (
	deskPath       = "/"
	deskCharges    = "charges"
	deskDeliveries = "deliveries/"
	deskPayouts    = "payouts"
	deskRefunds    = "refunds"
	deskAccount    = "settings/account"
)

// page returns the page of the desk that shows what a notice is about. A charge is searched for by
// its order or its description, because its whole identifier opens the payment page to anyone who
// reads the mail.
func (n BusinessLine) page() string {
	switch n.Kind {
	case FailedDelivery:
		return deskDeliveries + n.ResourceID
	case PayoutSent:
		return deskPayouts
	case RefundDropped:
		return deskRefunds
	case NewLogin:
		return deskAccount
	case ChargePaid, Underpaid, Late:
	}
	if text := cmp.Or(n.Order, n.Description); text != "" {
		return deskCharges + "?" + url.Values{"text": {text}}.Encode()
	}
	switch n.Kind {
	case Underpaid, Late:
		return deskCharges + "?attention=" + string(n.Kind)
	default:
		return deskCharges
	}
}

// maxInALine is how many characters of a text a line shows.
const maxInALine = 80

// inALine cuts a text so that it fits a line.
func inALine(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > maxInALine {
		return string(line[:maxInALine]) + "…"
	}
	return string(line)
}

// noticeLine is the line about one notice. Of a charge it shows the beginning of the
// identifier, because the whole opens the payment page.
func (t *Templates) noticeLine(n BusinessLine) string {
	var line strings.Builder
	line.WriteString(t.kinds[string(n.Kind)].Said)
	if n.Amount != nil {
		fmt.Fprintf(&line, ": %s XMR", n.Amount)
	}
	if n.Order != "" {
		fmt.Fprintf(&line, ", order %s", inALine(n.Order))
	}
	if n.Description != "" {
		fmt.Fprintf(&line, ", “%s”", inALine(n.Description))
	}
	if host := webhook.Host(n.Receiver); host != "" {
		fmt.Fprintf(&line, ", to %s", host)
	}
	switch id := n.ResourceID; {
	case n.Kind == NewLogin:
	case strings.HasPrefix(id, chargePrefix) && len(id) > shownID:
		fmt.Fprintf(&line, ", %s…", id[:shownID])
	default:
		fmt.Fprintf(&line, ", %s", id)
	}
	fmt.Fprintf(&line, ", at %s.", minute(n.At))
	return line.String()
}
