package mail

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/businessnotice"
	"github.com/durapay/durapay/internal/money"
)

// MaxBusinessLines is how many notices a mail tells one by one.
const MaxBusinessLines = 10

// Business tells a merchant what happened in the business: one notice, several at once,
// or a day's digest.
type Business struct {
	// ID becomes the message's.
	ID, To string
	// DigestAt is the end of what a digest tells; nil for a mail at once.
	DigestAt *time.Time
	// Sums are of all notices of the mail, by kind; at least one.
	Sums []BusinessSum
	// First are the oldest of them, at most MaxBusinessLines. A digest tells sums alone.
	First []businessnotice.Notice
	// OffLink opens the page that turns the kinds of the mail off, and does so when it
	// gets a POST.
	OffLink string
}

// BusinessSum is the number of notices of a kind, and the sum of their amounts in
// piconero.
type BusinessSum struct {
	Kind   businessnotice.Kind
	Count  int64
	Atomic money.Decimal
}

// businessTexts are what notices of a kind say: the subject of one, its sentence before
// the amount or what it is about, and what a sum counts.
func businessTexts() map[businessnotice.Kind]struct{ subject, said, counted string } {
	return map[businessnotice.Kind]struct{ subject, said, counted string }{
		businessnotice.ChargePaid:     {"A charge was paid", "A charge was paid and is confirmed", "Charges paid"},
		businessnotice.Underpaid:      {"A charge was underpaid", "A charge expired with a part of its amount", "Charges underpaid"},
		businessnotice.Late:           {"Money came late", "Money for a charge was confirmed after the charge had expired", "Charges paid late"},
		businessnotice.FailedDelivery: {"A webhook was not reached", "A delivery to a webhook was given up", "Deliveries given up"},
		businessnotice.PayoutSent:     {"A payout was sent", "A payout was sent", "Payouts sent"},
		businessnotice.NewLogin:       {"A login from a new network", "Somebody logged in to your account from a network that was not seen before", "Logins from new networks"},
	}
}

// Business is the mail; an error for one that tells nothing, or a kind that has no text.
func (t *Templates) Business(b Business) (Message, error) {
	data := struct {
		Subject, OffLink string
		Lines            []string
		Login            bool
	}{OffLink: b.OffLink}
	var total int64
	var sums, kinds []string
	for _, s := range b.Sums {
		texts, ok := businessTexts()[s.Kind]
		if !ok {
			return Message{}, fmt.Errorf("mail: no text for the notice %q", s.Kind)
		}
		total += s.Count
		sums = append(sums, sumLine(texts.counted, s))
		kinds = append(kinds, texts.subject)
		data.Login = data.Login || s.Kind == businessnotice.NewLogin
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
			data.Lines = append(data.Lines, noticeLine(n))
		}
		if total > 1 {
			data.Subject = fmt.Sprintf("%s, and %d more", kinds[0], total-1)
		}
		if more := total - int64(len(b.First)); more > 0 {
			data.Lines = append(data.Lines, fmt.Sprintf("And %d more. All together:", more))
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
	return fmt.Sprintf("%s: %d, together %s XMR.", counted, s.Count, s.Atomic.Mul(piconeroInXMR()))
}

// piconeroInXMR is what a piconero is worth in XMR.
func piconeroInXMR() money.Decimal { return money.Piconero(1).Decimal() }

// shownID is how many characters of an identifier a mail shows, where the whole
// identifier would open a page to anyone who reads the mail.
const shownID = len("ch_") + 8

// noticeLine is the line about one notice. Of a charge it shows the beginning of the
// identifier, because the whole opens the payment page.
func noticeLine(n businessnotice.Notice) string {
	var line strings.Builder
	line.WriteString(businessTexts()[n.Kind].said)
	if n.Amount != nil {
		fmt.Fprintf(&line, ": %s XMR", n.Amount)
	}
	switch id := n.ResourceID; {
	case n.Kind == businessnotice.NewLogin:
	case strings.HasPrefix(id, "ch_") && len(id) > shownID:
		fmt.Fprintf(&line, ", %s…", id[:shownID])
	default:
		fmt.Fprintf(&line, ", %s", id)
	}
	fmt.Fprintf(&line, ", at %s.", minute(n.At))
	return line.String()
}
