package pages

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// maxBrief is how many characters of a description the first screen of a phone has room for.
const maxBrief = 80

// brief cuts a text between words so that it fits the first screen.
func brief(text string) string {
	if utf8.RuneCountInString(text) <= maxBrief && !strings.Contains(text, "\n") {
		return text
	}
	text = strings.Join(strings.Fields(text), " ")
	cut := []rune(text)
	if len(cut) <= maxBrief {
		return text
	}
	text = string(cut[:maxBrief])
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		text = text[:i]
	}
	return text + "…"
}

// more returns what a page says after its first sentence.
func more(t kit.Translator, at stage, v View, now time.Time) []string {
	var list []string
	if at.confirms() {
		list = append(list, merchantText(t, v.BusinessName, "close.detail", "close.to"))
	}
	if v.Lock != nil && at.confirms() {
		list = append(list, lockText(t, *v.Lock, now))
	}
	if v.Unwatched && !at.done() {
		list = append(list, unwatchedText(t, at))
	}
	switch {
	case at == stageExpired && !v.Unwatched: // a buyer who may have paid is not asked to pay again
		list = append(list, t.Text("expired.again"), t.Text("expired.sent"))
	case at == stageExpiredPartial:
		list = append(list, t.Text("expired_partial.again"))
	}
	return list
}

// leads adds the links away from a page that asks for nothing more.
func (p *payPage) leads(at stage, v View) {
	if target := web.Link(web.OrEmpty(v.ReturnURL)); target != "" {
		p.Return = &link{target, merchantText(p.T, v.BusinessName, "return", "return.to")}
	}
	if at.done() {
		p.Receipt = &link{p.Keep(receiptPath(v.ID)), p.T.Text("receipt.open")}
	}
}

// lockText explains why a payment that is deep enough does not count yet.
func lockText(t kit.Translator, l Lock, now time.Time) string {
	if l.At != nil {
		return t.Text("locked.until", t.Moment(*l.At, now))
	}
	return t.Text("locked.until_block", strconv.FormatInt(l.Height, 10))
}

func detail(t kit.Translator, at stage, v View) string {
	id := string(at) + ".detail"
	switch at {
	case stagePartial, stageExpiredPartial:
		return t.Text(id, whole(v.AmountReceivedXMR), whole(v.AmountXMR))
	default:
		return t.Text(id)
	}
}
