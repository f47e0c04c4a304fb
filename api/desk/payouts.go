package desk

// payouts shows the amount available, a form to pay it out, and earlier payouts.
func (v *visit) payouts() error {
	b := v.read("/api/payouts/balance")
	all := v.list("/api/payouts", "payouts")
	shown, next := partOf(v, list[answer]{page: "/payouts", cursor: "cursor", atOnce: listedAtOnce, id: func(o answer) string { return o.text("payout_id") }}, all)
	t := table(v, "nav.payouts", "payouts.none", shown, columns{
		{"charges.when", v.when("created_at")},
		{"amount", func(o answer) cell {
			sent := xmr(o.number("amount_xmr"))
			if beside := o.number("refund_xmr"); beside != "" {
				sent += " + " + v.t("payouts.refund", xmr(beside))
			}
			return plain(sent)
		}},
		{"payouts.fees", func(o answer) cell { return plain(xmr(o.number("fee_xmr")) + " + " + xmr(o.number("network_fee_xmr"))) }},
		{"charges.state", func(o answer) cell {
			state := cell{Text: v.t("payout." + o.text("status")), Good: o.text("status") == "confirmed"}
			if reason := o.text("error"); reason != "" {
				state.Text, state.Warn = state.Text+": "+reason, true
			}
			return state
		}},
		{"payouts.to", func(o answer) cell {
			to := code(o.text("address"))
			if id := o.text("swap_id"); id != "" {
				to.Links = []link{{Href: "/swaps/" + id, Text: v.t("swap")}}
			}
			return to
		}},
		{"transaction", func(o answer) cell { return code(orNone(o.text("tx_hash"))) }},
	})
	estimate := part{Title: v.t("balance"), Facts: v.balanceFacts(b)}
	switch {
	case b.count("unpaid_charges") == 0:
		estimate.Text = v.t("refused.nothing_unpaid")
	case b.is("has_payout_address"):
		estimate.Forms = []form{{Action: "/payouts/sweep", Text: v.t("payouts.sweep_text", xmr(b.number("net_xmr"))), Button: v.t("payouts.sweep")}}
	default:
		estimate.Text = v.t("settings.address_none")
		estimate.Buttons = []link{{Href: "/settings", Text: v.t("payout_address")}}
	}
	return v.show(&page{Parts: []part{estimate, {Title: v.t("payouts.past"), Table: t, Next: next}}}, v.t("nav.payouts"))
}
