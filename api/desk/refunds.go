package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/refund"
)

// refundView is a refund as the API answers it.
type refundView struct{ refund.Refunded }

type refundList struct {
	Refunds []refundView `json:"refunds"`
}

// refunds lists refunds and their claims, the newest first.
func (v *visit) refunds() error {
	all := read[refundList](v, v.narrowed("/api/refunds?")).Refunds
	parts := v.widen("/refunds", v.t("attention.refunds"))
	if len(parts) > 0 {
		for i := range all {
			all[i].Claims = onlyWaiting(all[i].Claims)
		}
	}
	shown, next := partOf(v, list[refundView]{page: "/refunds", cursor: "cursor", atOnce: listedAtOnce, id: refundView.id, rows: refundView.rows}, all)
	return v.show(&page{Text: v.t("refunds.text"), Parts: append(parts, part{Table: v.refundTable(shown), Next: next})}, v.t("nav.refunds"))
}

func (r refundView) id() string { return r.ID }

// rows returns the number of table rows for a refund: its own, and one for each claim.
func (r refundView) rows() int { return 1 + len(r.Claims) }

// worth returns the amount in XMR, and in the currency that it was calculated from.
func (r refundView) worth() string {
	if r.FiatAmount == nil || r.FiatCurrency == nil {
		return xmr(r.AmountXMR)
	}
	return xmr(r.AmountXMR) + " (" + price(*r.FiatAmount, string(*r.FiatCurrency)) + ")"
}

// reason returns the text that the merchant or application wrote. It usually names the shop's
// order.
func (r refundView) reason() string {
	return strings.Join(slices.DeleteFunc([]string{r.Name, r.Description}, func(s string) bool { return s == "" }), ": ")
}

// onlyWaiting returns the claims that await approval, or the shop's payment.
func onlyWaiting(claims []refund.ClaimState) []refund.ClaimState {
	return slices.DeleteFunc(claims, func(k refund.ClaimState) bool {
		return k.Status != refund.AwaitingApproval && (k.WaitsFor == nil || *k.WaitsFor != refund.ForShopPayment)
	})
}

func (v *visit) refundTable(refunds []refundView) *kit.Table {
	none := "refunds.none"
	if v.sandbox() {
		none = "sandbox.live_only"
	}
	t := &kit.Table{
		Label: v.t("nav.refunds"), Empty: v.t(none), Brief: true,
		Columns: []string{v.t("amount"), v.t("charges.state"), v.t("refunds.name"), v.t("charges.when"), v.t("refunds.goes"), v.t("refunds.of"), v.t("refunds.decide")},
	}
	for _, r := range refunds {
		cancel := cell{}
		if r.Status == refund.Open || r.Status == refund.AwaitingApproval {
			cancel.Form = &form{Action: "/refunds/" + r.ID + "/cancel", Button: v.t("refunds.cancel"), Small: true}
		}
		t.Rows = append(t.Rows, []cell{
			plain(r.worth()), plain(v.t("refund." + string(r.Status))), plain(r.reason()), plain(v.moment(r.CreatedAt.String())), plain(v.t("refunds.left", xmr(r.LeftXMR))),
			chargeCell(r.ChargeID), cancel,
		})
		for _, k := range r.Claims {
			decide, state := cell{}, v.claimState(k)
			if k.Status == refund.AwaitingApproval {
				decide.Form = &form{
					Action: "/refunds/" + r.ID + "/approve", Sure: v.t("refunds.approve"), Button: v.t("refunds.approve_sure", xmr(k.AmountXMR)), Small: true, First: true,
					Hidden: []kit.Hidden{{Name: "claim_id", Value: k.ID}},
				}
			}
			if k.WaitsFor != nil && *k.WaitsFor == refund.ForShopPayment && v.may("payClaim") {
				decide = cell{Text: v.t("refunds.pay"), Href: "/refunds/" + r.ID}
			}
			t.Rows = append(t.Rows, []cell{
				plain(v.t("refunds.claim", xmr(k.AmountXMR))), state, plain(r.reason()), plain(v.moment(k.CreatedAt.String())), code(k.Address), code(orNone(web.OrEmpty(k.TxHash))), decide,
			})
		}
	}
	return t
}

func chargeCell(id string) cell {
	if id == "" {
		return plain(none)
	}
	return cell{Text: id, Code: true, Href: "/charges/" + id}
}

// refundForm returns the form that creates a refund of a charge.
func (v *visit) refundForm(here string) form {
	return form{
		Action: here + "/refunds", Title: v.t("refunds.new"), Sure: v.t("refunds.make"), Open: v.refusedOf(here + "/refunds"), Warning: v.t("refunds.new_text"), Button: v.t("refunds.create"), Lesser: true,
		Fields: []field{
			v.choice("variant", "refunds.variant", "variant.", "RateThen", "RateThen", "CurrentRate", "OverpaidAmount", "Custom"),
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
	var made refund.Refunded
	if err := v.post("/api/charges/"+v.id()+"/refunds", content, &made); err != nil {
		return err
	}
	facts := []fact{v.fact("amount", xmr(made.AmountXMR))}
	if made.FeeXMR > 0 {
		facts = append(facts, v.fact("refunds.fee", xmr(made.FeeXMR)))
	}
	p := &page{Narrow: true, Text: v.t("refunds.link_text"), Parts: []part{
		{Copy: orNone(web.OrEmpty(made.Link)), Facts: append(facts,
			v.fact("charge.expires", v.moment(made.ExpiresAt.String())), v.fact("charges.state", v.t("refund."+string(made.Status))))},
		{Links: []link{{Href: "/charges/" + v.id(), Text: v.t("charge")}, {Href: "/refunds", Text: v.t("nav.refunds")}}},
	}}
	return v.show(p, v.t("refunds.link"))
}

// typedClaim returns the claim that is approved.
func (v *visit) typedClaim() body { return body{}.with("claim_id", v.form("claim_id")) }
