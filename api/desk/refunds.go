package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
)

// refundAnswer is the API's representation of a refund.
type refundAnswer struct {
	ID        string        `json:"id"`
	ChargeID  string        `json:"charge_id"`
	Status    string        `json:"status"`
	Amount    number        `json:"amount_xmr"`
	Left      number        `json:"left_xmr"`
	Fiat      *number       `json:"fiat_amount"`
	Currency  *string       `json:"fiat_currency"`
	Name      string        `json:"name"`
	Text      string        `json:"description"`
	Fee       number        `json:"fee_xmr"`
	Link      *string       `json:"link"`
	CreatedAt string        `json:"created_at"`
	ExpiresAt string        `json:"expires_at"`
	Claims    []claimAnswer `json:"claims"`
}

type claimAnswer struct {
	ID        string  `json:"id"`
	Status    string  `json:"status"`
	Amount    number  `json:"amount_xmr"`
	Address   string  `json:"address"`
	WaitsText *string `json:"waits_text"`
	TxHash    *string `json:"tx_hash"`
	CreatedAt string  `json:"created_at"`
	SentAt    *string `json:"sent_at"`
}

// refunds lists refunds and their claims, the newest first.
func (v *visit) refunds() error {
	var answer struct {
		Refunds []refundAnswer `json:"refunds"`
	}
	if err := v.get(v.narrowed("/api/refunds?"), &answer); err != nil {
		return err
	}
	parts := v.widen("/refunds", v.t("attention.refunds"))
	if len(parts) > 0 {
		for i := range answer.Refunds {
			answer.Refunds[i].Claims = onlyWaiting(answer.Refunds[i].Claims)
		}
	}
	shown, next := partOf(v, list[refundAnswer]{page: "/refunds", cursor: "cursor", atOnce: listedAtOnce, id: refundAnswer.id, rows: refundAnswer.rows}, answer.Refunds)
	return v.show(&page{Text: v.t("refunds.text"), Parts: append(parts, part{Table: v.refundTable(shown), Next: next})}, v.t("nav.refunds"))
}

func (r refundAnswer) id() string { return r.ID }

// rows returns the number of table rows for a refund: its own, and one for each claim.
func (r refundAnswer) rows() int { return 1 + len(r.Claims) }

// worth returns the amount in XMR, and in the currency that it was calculated from.
func (r refundAnswer) worth() string {
	if r.Fiat == nil || r.Currency == nil {
		return xmr(r.Amount)
	}
	return xmr(r.Amount) + " (" + money(*r.Fiat, *r.Currency) + ")"
}

// reason returns the text that the merchant or application wrote. It usually names the shop's
// order.
func (r refundAnswer) reason() string {
	return strings.Join(slices.DeleteFunc([]string{r.Name, r.Text}, func(s string) bool { return s == "" }), ": ")
}

// onlyWaiting returns the claims that await approval.
func onlyWaiting(claims []claimAnswer) []claimAnswer {
	return slices.DeleteFunc(claims, func(k claimAnswer) bool { return k.Status != awaitingApproval })
}

// awaitingApproval is the status of a claim that needs an approval.
const awaitingApproval = "awaiting_approval"

func (v *visit) refundTable(refunds []refundAnswer) *sheetTable {
	t := &sheetTable{
		Label: v.t("nav.refunds"), Empty: v.t("refunds.none"),
		Columns: []string{v.t("charges.when"), v.t("amount"), v.t("charges.state"), v.t("refunds.goes"), v.t("refunds.name"), v.t("refunds.of"), v.t("refunds.decide")},
	}
	for _, r := range refunds {
		cancel := cell{}
		if r.Status == "open" || r.Status == awaitingApproval {
			cancel.Form = &form{Action: "/refunds/" + r.ID + "/cancel", Button: v.t("refunds.cancel"), Small: true}
		}
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&r.CreatedAt)), plain(r.worth()), plain(v.t("refund." + r.Status)), plain(v.t("refunds.left", xmr(r.Left))), plain(r.reason()),
			v.chargeCell(r.ChargeID), cancel,
		})
		for _, k := range r.Claims {
			decide, state := cell{}, plain(v.t("refund."+k.Status))
			if k.Status == awaitingApproval {
				state.Warn = true
				decide.Form = &form{
					Action: "/refunds/" + r.ID + "/approve", Button: v.t("refunds.approve"),
					Hidden: []sheet.Hidden{{Name: "claim_id", Value: k.ID}},
				}
			}
			if k.WaitsText != nil {
				state.Text += ": " + *k.WaitsText
			}
			t.Rows = append(t.Rows, []cell{plain(v.moment(&k.CreatedAt)), plain(xmr(k.Amount)), state, code(k.Address), plain(""), code(orNone(k.TxHash)), decide})
		}
	}
	return t
}

func (v *visit) chargeCell(id string) cell {
	if id == "" {
		return plain(none)
	}
	return cell{Text: id, Code: true, Href: "/charges/" + id}
}

// factor returns the field for a two-factor code.
func (v *visit) factor(id string) []field {
	return []field{{ID: id, Name: "totp_code", Label: v.t("two_factor.code"), Type: "text", Autocomplete: "one-time-code", Max: 40, Required: true, Digits: true}}
}

// refundForm returns the form that creates a refund of a charge.
func (v *visit) refundForm(here string) form {
	return form{
		Action: here + "/refunds", Title: v.t("refunds.new"), Text: v.t("refunds.new_text"), Button: v.t("refunds.make"), Lesser: true,
		Fields: []field{
			v.choice("variant", "refunds.variant", "variant.", "RateThen", "RateThen", "CurrentRate", "OverpaidAmount", "Fiat", "Custom"),
			hinted(v.decimal("amount", "amount"), v.t("refunds.amount_hint")), v.choice("currency", "currency", "", "XMR", "XMR", "EUR", "USD"),
			hinted(v.text("name", "refunds.name", 50), v.t("refunds.name_hint")),
		},
	}
}

// makeRefund creates a refund and shows the link that the customer needs.
func (v *visit) makeRefund() error {
	content := body{"variant": v.form("variant")}.with("name", v.form("name"))
	if v.form("variant") == "Custom" {
		content["amount"], content["currency"] = amount(v.form("amount")), v.form("currency")
	}
	var made refundAnswer
	if err := v.post("/api/charges/"+v.id()+"/refunds", content, &made); err != nil {
		return err
	}
	facts := []fact{named(v.t("amount"), plain(xmr(made.Amount)))}
	if atomic(made.Fee).Sign() > 0 {
		facts = append(facts, named(v.t("refunds.fee"), plain(xmr(made.Fee))))
	}
	p := &page{Narrow: true, Text: v.t("refunds.link_text"), Parts: []part{
		{Copy: orNone(made.Link), Facts: append(facts,
			named(v.t("charge.expires"), plain(v.moment(&made.ExpiresAt))), named(v.t("charges.state"), plain(v.t("refund."+made.Status))))},
		{Buttons: []link{{Href: "/charges/" + v.id(), Text: v.t("charge")}, {Href: "/refunds", Text: v.t("nav.refunds")}}},
	}}
	return v.show(p, v.t("refunds.link"))
}

// approveRefund approves a claim, so that it is paid.
func (v *visit) approveRefund() error {
	content := body{}.with("claim_id", v.form("claim_id"))
	if err := v.post("/api/account/refunds/"+v.id()+"/approve", content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/refunds")
}

// cancelRefund cancels the part of a refund that was not claimed.
func (v *visit) cancelRefund() error {
	if err := v.post("/api/refunds/"+v.id()+"/cancel", body{}, &struct{}{}); err != nil {
		return err
	}
	return v.done("/refunds")
}
