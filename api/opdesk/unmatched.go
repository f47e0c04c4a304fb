package opdesk

// unmatched lists money that belongs to no charge.
func (v *visit) unmatched() error {
	var answer struct {
		Payments []struct {
			ID             number  `json:"id"`
			WalletID       string  `json:"wallet_id"`
			TxHash         string  `json:"tx_hash"`
			Subaddress     number  `json:"subaddress_index"`
			Amount         number  `json:"amount_xmr"`
			Height         *number `json:"height"`
			FirstSeenAt    string  `json:"first_seen_at"`
			VanishedAt     *string `json:"vanished_at"`
			FormerChargeID *string `json:"former_charge_id"`
			MerchantID     *string `json:"merchant_id"`
			ResolvedAt     *string `json:"resolved_at"`
			Note           *string `json:"note"`
		} `json:"payments"`
		NextCursor number `json:"next_cursor"`
	}
	if err := v.get("/api/admin/unmatched"+v.listQuery("status"), &answer); err != nil {
		return err
	}
	links, resolved := v.openOrResolved()
	t := table{Columns: []string{"Amount", "Wallet", "Transaction", "Seen", "Charge once", "Merchant", "Done"}, Empty: "There is none."}
	for _, p := range answer.Payments {
		done := cell{Form: resolveForm("unmatched", p.ID, "Note it")}
		if resolved {
			done = plain(moment(p.ResolvedAt) + ": " + orDash(p.Note))
		}
		seen := moment(&p.FirstSeenAt)
		switch {
		case p.VanishedAt != nil:
			seen += ", left the chain " + moment(p.VanishedAt)
		case p.Height != nil:
			seen += ", block " + p.Height.String()
		default:
			seen += ", in the pool"
		}
		t.Rows = append(t.Rows, []cell{
			plain(xmr(p.Amount)), plain(p.WalletID + ", subaddress " + p.Subaddress.String()), code(p.TxHash), plain(seen),
			code(orDash(p.FormerChargeID)), merchantCell(p.MerchantID), done,
		})
	}
	return v.show(&page{
		Title: "Unmatched money", Text: "Money in a wallet that is in no merchant's balance. A note moves no money.",
		Links: append(links, runbookLink("unmatched-payment")...), Tables: []table{t}, Next: v.nextPage(answer.NextCursor.String()),
	})
}

// resolveUnmatched records what the operator did about a payment.
func (v *visit) resolveUnmatched() error {
	if err := v.post("/api/admin/unmatched/"+v.id()+"/resolve", map[string]string{"note": v.r.PostForm.Get("note")}, &struct{}{}); err != nil {
		return err
	}
	return v.done(Root + "/unmatched")
}
