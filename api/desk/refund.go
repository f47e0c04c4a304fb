package desk

import (
	"html/template"
	"net/http"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/refund"
)

// refreshRefund is the interval, in seconds, at which the page of a refund reloads itself while a
// payment of it is on its way.
const refreshRefund = 30

// refund shows one refund with its claims. Of those that the shop pays from its own wallet it shows
// how, and takes the transaction.
func (v *visit) refund() error {
	r := read[refundView](v, v.at("/api/refunds/{id}"))
	facts := []fact{
		v.fact("charges.state", v.t("refund."+string(r.Status))), v.fact("amount", r.worth()), v.fact("refunds.name", orNone(r.reason())),
		v.fact("refunds.goes", v.t("refunds.left", xmr(r.LeftXMR))), named(v.t("charge"), chargeCell(r.ChargeID)),
		v.fact("charges.when", v.moment(r.CreatedAt.String())), v.fact("charge.expires", v.moment(r.ExpiresAt.String())),
	}
	p := &page{Parts: []part{{Facts: known(facts...)}}}
	for _, k := range r.Claims {
		if k.PaymentAddress == nil {
			continue
		}
		p.Parts = append(p.Parts, v.claimToPay(r.ID, k))
		if k.Status == refund.InProgress && v.problem == "" {
			v.refresh = refreshRefund
		}
	}
	p.Parts = append(p.Parts, part{Title: v.t("refunds.claims"), Wide: true, Table: v.refundTable([]refundView{r})}, part{Links: []link{{Href: "/refunds", Text: v.t("nav.refunds")}}})
	return v.show(p, v.t("refunds.title", xmr(r.AmountXMR)))
}

// claimToPay shows a claim that the shop pays from its own wallet: how to pay it and the form for
// the transaction, or what proves the payment.
func (v *visit) claimToPay(id string, k refund.ClaimState) part {
	shown := part{Title: v.t("refunds.claim", xmr(k.AmountXMR)), Facts: known(
		named(v.t("charges.state"), v.claimState(k)), v.fact("amount", xmr(k.AmountXMR)), named(v.t("refunds.goes"), code(*k.PaymentAddress)),
		named(v.t("refunds.tx_hash"), code(orNone(web.OrEmpty(k.TxHash)))), named(v.t("refunds.tx_key"), code(orNone(web.OrEmpty(k.TxKey)))),
		named(v.t("refunds.tx_proof"), code(orNone(web.OrEmpty(k.TxProof)))),
	)}
	if k.Status != refund.AwaitingPayment {
		return shown
	}
	shown.Text = v.t("refunds.pay_text")
	shown.Copy = *k.PaymentURI
	shown.Buttons = []link{{Wallet: template.URL(*k.PaymentURI), Text: v.t("refunds.open_wallet")}} //nolint:gosec // always begins with "monero:"
	if image, err := web.QRDataURL(*k.PaymentURI); err == nil {
		shown.Image = &kit.Image{Inline: template.URL(image), Alt: v.t("refunds.qr"), Width: 168, Height: 168} //nolint:gosec // an image that this process drew
	}
	claim := []kit.Hidden{{Name: "claim_id", Value: k.ID}}
	shown.Forms = []form{
		{
			Action: "/refunds/" + id + "/payment", Title: v.t("refunds.give"), Text: v.t("refunds.give_text"), Button: v.t("refunds.give_button"), Hidden: claim,
			Fields: []field{needed(exact(v.text("tx_hash", "refunds.tx_hash", 64))), needed(exact(v.text("tx_key", "refunds.tx_key", 2048)))},
		},
		{Action: "/refunds/" + id + "/cancel", Sure: v.t("refunds.decline"), Warning: v.t("refunds.decline_text"), Button: v.t("refunds.decline_sure"), Lesser: true, Hidden: claim},
	}
	return shown
}

// claimState returns a claim's state, and what it waits for.
func (v *visit) claimState(k refund.ClaimState) cell {
	if k.WaitsFor != nil && *k.WaitsFor == refund.ForShopPayment {
		return cell{Text: v.t("refunds.to_pay"), Warn: true}
	}
	state := plain(v.t("refund." + string(k.Status)))
	if state.Warn = k.Status == refund.AwaitingApproval; k.WaitsText != nil {
		state.Text += ": " + *k.WaitsText
	}
	return state
}

// payClaim gives the transaction with which the shop has paid a claim.
func (v *visit) payClaim() error {
	content := body{"tx_hash": v.form("tx_hash"), "tx_key": v.form("tx_key")}
	if err := v.call(http.MethodPost, v.at("/api/refunds/{id}/claims/")+escaped(v.form("claim_id"))+"/payment", content, &struct{}{}); err != nil {
		return err
	}
	return v.done(v.at("/refunds/{id}"))
}
