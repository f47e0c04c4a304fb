package desk

// payoutAnswer is the API's representation of a payout.
type payoutAnswer struct {
	ID         string  `json:"payout_id"`
	Status     string  `json:"status"`
	Amount     number  `json:"amount_xmr"`
	Fee        number  `json:"fee_xmr"`
	NetworkFee number  `json:"network_fee_xmr"`
	TxHash     *string `json:"tx_hash"`
	Address    string  `json:"address"`
	Error      *string `json:"error"`
	CreatedAt  string  `json:"created_at"`
	Refund     *number `json:"refund_xmr"`
	SwapID     *string `json:"swap_id"`
}

// payouts shows the amount available, a form to pay it out, and earlier payouts.
func (v *visit) payouts() error {
	var b balance
	if err := v.get("/api/payouts/balance", &b); err != nil {
		return err
	}
	var answer struct {
		Payouts []payoutAnswer `json:"payouts"`
	}
	if err := v.get("/api/payouts", &answer); err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("nav.payouts"), Empty: v.t("payouts.none"),
		Columns: []string{v.t("charges.when"), v.t("amount"), v.t("payouts.fees"), v.t("charges.state"), v.t("payouts.to"), v.t("transaction")},
	}
	shown, next := partOf(v, list[payoutAnswer]{page: "/payouts", cursor: "cursor", atOnce: listedAtOnce, id: func(o payoutAnswer) string { return o.ID }}, answer.Payouts)
	for _, o := range shown {
		state := cell{Text: v.t("payout." + o.Status), Good: o.Status == "confirmed"}
		if o.Error != nil {
			state.Text, state.Warn = state.Text+": "+*o.Error, true
		}
		to := code(o.Address)
		if o.SwapID != nil {
			to.Links = []link{{Href: "/swaps/" + *o.SwapID, Text: v.t("swap")}}
		}
		sent := xmr(o.Amount)
		if o.Refund != nil {
			sent += " + " + v.t("payouts.refund", xmr(*o.Refund))
		}
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&o.CreatedAt)), plain(sent), plain(xmr(o.Fee) + " + " + xmr(o.NetworkFee)), state, to, code(orNone(o.TxHash)),
		})
	}
	estimate := part{Title: v.t("balance"), Facts: v.balanceFacts(b)}
	if b.HasAddress && b.Charges > 0 {
		estimate.Forms = []form{{Action: "/payouts/sweep", Text: v.t("payouts.sweep_text", xmr(b.Net)), Button: v.t("payouts.sweep")}}
	}
	if !b.HasAddress && b.Charges > 0 {
		estimate.Text = v.t("settings.address_none")
		estimate.Buttons = []link{{Href: "/settings", Text: v.t("payout_address")}}
	}
	if b.Charges == 0 {
		estimate.Text = v.t("refused.nothing_unpaid")
	}
	return v.show(&page{Parts: []part{estimate, {Title: v.t("payouts.past"), Table: t, Next: next}}}, v.t("nav.payouts"))
}

// sweep pays out.
func (v *visit) sweep() error {
	if err := v.post("/api/payouts/sweep", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/payouts")
}
