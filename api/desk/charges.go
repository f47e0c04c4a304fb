package desk

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/durapay/durapay/internal/wire"
)

// chargeAnswer is the API's representation of a charge.
type chargeAnswer struct {
	ID            string          `json:"id"`
	Amount        number          `json:"amount"`
	Currency      string          `json:"currency"`
	AmountXMR     number          `json:"amount_xmr"`
	Subaddress    string          `json:"subaddress"`
	Status        string          `json:"status"`
	Confirmations int             `json:"confirmations"`
	Required      int             `json:"confirmations_required"`
	CreatedAt     string          `json:"created_at"`
	ExpiresAt     string          `json:"expires_at"`
	ConfirmedAt   *string         `json:"confirmed_at"`
	LinkState     string          `json:"link_state"`
	Active        bool            `json:"active"`
	PaymentURL    string          `json:"payment_url"`
	Received      number          `json:"amount_received_xmr"`
	Due           number          `json:"amount_due_xmr"`
	PaymentState  string          `json:"payment_state"`
	Late          bool            `json:"late"`
	AcceptedAt    *string         `json:"underpaid_accepted_at"`
	Payments      []chargePayment `json:"payments"`
	Description   *string         `json:"description"`
	Metadata      json.RawMessage `json:"metadata"`
	RequestID     *string         `json:"payment_request_id"`
	PayoutID      *string         `json:"payout_id"`
}

type chargePayment struct {
	TxHash        string `json:"tx_hash"`
	Amount        number `json:"amount_xmr"`
	Confirmations int    `json:"confirmations"`
	FirstSeenAt   string `json:"first_seen_at"`
}

func (p chargePayment) id() string { return p.TxHash }

// stored returns the members of the charge's metadata by their exact names. The merchant or an
// application can store anything there. Values that a page cannot use are left out, so one
// charge does not break a list.
func (c chargeAnswer) stored() map[string]json.RawMessage { return membersOf(c.Metadata) }

// order returns the order of a charge, by the name that the API's clients use or the one that
// plugins use.
func (c chargeAnswer) order() string {
	all := c.stored()
	if order := shown(all["order_id"]); order != "" {
		return order
	}
	return shown(all["orderId"])
}

func membersOf(object json.RawMessage) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	members, err := wire.Members(object)
	if err != nil {
		return nil
	}
	for _, m := range members {
		all[m.Name] = m.Value
	}
	return all
}

type foundCharges struct {
	Charges []chargeAnswer `json:"charges"`
	Next    string         `json:"next_cursor"`
}

// state returns the charge's status as text.
func (v *visit) state(c chargeAnswer) cell {
	switch {
	case c.Status == "confirmed" && c.Late:
		return cell{Text: v.t("state.late"), Warn: true}
	case c.Status == "confirmed":
		return cell{Text: v.t("state.confirmed"), Good: true}
	case c.PaymentState == "partial":
		return cell{Text: v.t("state.partial", xmr(c.Received), xmr(c.AmountXMR)), Warn: true}
	case c.Status == "expired" && c.PaymentState == "unpaid":
		return plain(v.t("state.expired"))
	case c.PaymentState == "unpaid":
		return plain(v.t("state.waiting"))
	default:
		return plain(v.t("state.confirming", c.Confirmations, c.Required))
	}
}

// chargeFilter returns the query parameters of the list of charges.
func chargeFilter() []string { return []string{"invoice_status", "text", "from", "to", attention} }

// charges lists the charges that match the search, newest first.
func (v *visit) charges() error {
	asked := v.r.URL.Query()
	query := url.Values{"limit": {"50"}}
	for _, name := range append(chargeFilter(), "cursor") {
		value := asked.Get(name)
		if value == "" {
			continue
		}
		if name == "from" || name == "to" {
			value = dayBegin(value, name == "to")
		}
		query.Set(name, value)
	}
	var found foundCharges
	if err := v.get("/api/charges?"+query.Encode(), &found); err != nil {
		return err
	}
	return v.show(&page{Later: func() []part { return v.chargeParts(asked, found) }}, v.t("nav.charges"))
}

// chargeParts returns the search form and the charges found.
func (v *visit) chargeParts(asked url.Values, answer foundCharges) []part {
	found := part{Table: v.chargeTable(answer.Charges)}
	if answer.Next != "" {
		asked.Set("cursor", answer.Next)
		asked.Del("done")
		found.Next = &link{Href: "/charges?" + asked.Encode(), Text: v.t("next")}
	}
	if len(answer.Charges) == 0 {
		found.Buttons = []link{{Href: "/ask", Text: v.t("nav.ask")}}
	}
	var parts []part
	if kind := asked.Get(attention); kind != "" {
		parts = v.widen("/charges", v.t("attention."+kind))
	}
	search := part{Title: v.t("charges.search"), Folded: true, Forms: []form{v.chargeSearch(asked)}}
	for _, name := range chargeFilter() {
		if name != attention && asked.Get(name) != "" {
			search.Title, search.Folded = "", false
		}
	}
	return append(parts, search, found)
}

// dayBegin returns the start of a day in UTC, or of the next day if after is set. It returns
// invalid text unchanged, so that the API refuses it.
func dayBegin(day string, after bool) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	if after {
		at = at.AddDate(0, 0, 1)
	}
	return at.Format(time.RFC3339)
}

func (v *visit) chargeSearch(asked url.Values) form {
	status := v.choice("invoice_status", "charges.state", "charges.state_", asked.Get("invoice_status"), "", "New", "Processing", "Settled", "Expired", "Invalid")
	text, from, to := v.text("text", "charges.text", 200), v.text("from", "charges.from", 10), v.text("to", "charges.to", 10)
	text.Value, from.Value, to.Value = asked.Get("text"), asked.Get("from"), asked.Get("to")
	from.Type, to.Type = "date", "date"
	return form{Action: "/charges", Get: true, Lesser: true, Button: v.t("charges.search"), Fields: []field{status, hinted(text, v.t("charges.text_hint")), from, to}}
}

func (v *visit) chargeTable(charges []chargeAnswer) *sheetTable {
	t := &sheetTable{
		Label:   v.t("nav.charges"),
		Columns: []string{v.t("charges.when"), v.t("amount"), "XMR", v.t("charges.state"), v.t("charges.about"), v.t("charge")}, Empty: v.t("charges.none"),
	}
	for _, c := range charges {
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&c.CreatedAt)), plain(money(c.Amount, c.Currency)), plain(trimmed(c.AmountXMR)), v.state(c), plain(c.about()),
			{Text: c.ID, Code: true, Href: "/charges/" + c.ID},
		})
	}
	return t
}

// about returns a short description of a charge: its order and its description.
func (c chargeAnswer) about() string {
	order, described := c.order(), orNone(c.Description)
	switch {
	case order == "":
		return described
	case described == none:
		return order
	default:
		return order + " · " + described
	}
}

func currencies() []string { return []string{"EUR", "USD", "XMR"} }

// showAsk shows the form for a charge.
func (v *visit) showAsk() error {
	f := form{
		Action: "/ask", Title: v.t("ask.charge"), Text: v.t("ask.charge_text"), Button: v.t("ask.make"),
		Fields: []field{
			needed(v.decimal("amount", "amount")), v.choice("currency", "currency", "", "EUR", currencies()...),
			v.text("description", "description", 500), hinted(v.text("order_id", "ask.order", 200), v.t("ask.order_hint")),
		},
	}
	links := []link{{Href: "/payment-requests", Text: v.t("ask.request")}, {Href: "/till", Text: v.t("nav.till")}, {Href: "/button" + query("merchant_id", v.shop()), Text: v.t("ask.button")}}
	return v.show(&page{Parts: []part{{Links: links}, {Forms: []form{f}}}}, v.t("nav.ask"))
}

// ask creates a charge and shows it.
func (v *visit) ask() error {
	id, err := v.makeCharge(v.form("order_id"), v.form("description"))
	if err != nil {
		return err
	}
	return v.redirect("/charges/" + id)
}

// makeCharge creates the charge of a form.
func (v *visit) makeCharge(order, description string) (id string, err error) {
	metadata := body{}.with("order_id", order).with("description", description)
	var made chargeAnswer
	wanted := body{"amount": amount(v.form("amount")), "currency": v.form("currency"), "metadata": metadata}
	err = v.post("/api/charges", wanted, &made)
	return made.ID, err
}
