package pages

import (
	"net/http"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
)

// receiptPage is a page to print or to save.
type receiptPage struct {
	kit.Frame
	Description string
	Rows        []row
	Contact     *contact
	Back        string
}

// receiptPath returns the path of a charge's receipt.
func receiptPath(id string) string { return "/pay/" + id + "/receipt" }

// receipt answers the receipt of a payment that is complete. For any other payment it redirects to
// the payment's page.
func (s *Site) receipt(w http.ResponseWriter, r *http.Request) {
	view, found := s.viewed(w, r)
	if !found {
		return
	}
	f := s.frame(r)
	if !stageOf(view).done() {
		seeOther(w, r, f.Keep("/pay/"+view.ID))
		return
	}
	s.kit.Render(w, r, http.StatusOK, "receipt.html", newReceiptPage(f, view))
}

func newReceiptPage(f kit.Frame, v View) *receiptPage {
	t := f.T
	p := &receiptPage{Frame: f, Description: web.OrEmpty(v.Description), Back: f.Keep("/pay/" + v.ID)}
	p.Title, p.Tone = t.Text("receipt.title"), "good"
	p.Header, p.Label = t.Text("receipt.title"), t.Text("receipt.from")
	p.Business, p.Sandbox = v.BusinessName, v.Sandbox
	p.Contact = contactOf(t, v.BusinessName, v.Contact)
	add := func(label, value string, code bool) {
		if value != "" {
			p.Rows = append(p.Rows, row{Label: t.Text(label), Value: value, Code: code})
		}
	}
	if v.ConfirmedAt != nil {
		add("summary.confirmed", day(t, time.Time(*v.ConfirmedAt)), false)
	}
	add("summary.price", fiat(v.Amount, v.Currency), false)
	if v.Currency != money.XMR {
		add("summary.asked", whole(v.AmountXMR), false)
	}
	add("summary.received", whole(v.AmountReceivedXMR), false)
	add("summary.order", v.Order, false)
	add("receipt.address", v.Subaddress, true)
	add("summary.reference", v.ID, true)
	return p
}

// day returns a time with its date, also if it is today.
func day(t kit.Translator, at time.Time) string { return t.Moment(at, time.Time{}) }
