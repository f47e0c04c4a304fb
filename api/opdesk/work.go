package opdesk

import "encoding/json"

type alertsAnswer struct {
	Alerts []struct {
		ID         number  `json:"id"`
		Kind       string  `json:"kind"`
		Subject    string  `json:"subject"`
		Detail     string  `json:"detail"`
		OpenedAt   string  `json:"opened_at"`
		ResolvedAt *string `json:"resolved_at"`
		Note       *string `json:"note"`
	} `json:"alerts"`
	NextCursor number `json:"next_cursor"`
}

// alerts lists alerts, open or resolved.
func (v *visit) alerts() error {
	var answer alertsAnswer
	if err := v.get("/api/admin/alerts"+v.listQuery("status"), &answer); err != nil {
		return err
	}
	links, resolved := v.openOrResolved()
	return v.show(&page{
		Title: "Alerts", Text: "Some close by themselves once their cause is gone; the runbook says which.",
		Links: links, Tables: []table{v.alertTable(answer, resolved)}, Next: v.nextPage(answer.NextCursor.String()),
	})
}

func (v *visit) alertTable(answer alertsAnswer, resolved bool) table {
	t := table{Columns: []string{"What", "About", "Detail", "Since", "Done"}, Empty: "There are none."}
	for _, a := range answer.Alerts {
		done := cell{Text: "", Form: resolveForm("alerts", a.ID, "Close")}
		if resolved {
			done = plain(moment(a.ResolvedAt) + ": " + orDash(a.Note))
		}
		t.Rows = append(t.Rows, []cell{
			{Text: a.Kind, Links: v.linksOf(a.Kind, a.Subject)}, code(a.Subject), plain(a.Detail), plain(moment(&a.OpenedAt)), done,
		})
	}
	return t
}

func (v *visit) resolveAlert() error {
	if err := v.post("/api/admin/alerts/"+v.id()+"/resolve", map[string]string{"note": v.r.PostForm.Get("note")}, &struct{}{}); err != nil {
		return err
	}
	return v.done(Root + "/alerts")
}

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

// deliveries lists webhook deliveries that failed or were dropped.
func (v *visit) deliveries() error {
	var answer struct {
		Deliveries []struct {
			ID            string  `json:"id"`
			MerchantID    string  `json:"merchant_id"`
			URL           string  `json:"url"`
			Event         string  `json:"event"`
			ResourceID    string  `json:"resource_id"`
			Status        string  `json:"status"`
			Attempts      number  `json:"attempts"`
			Error         *string `json:"error"`
			LastAttemptAt *string `json:"last_attempt_at"`
		} `json:"deliveries"`
		NextCursor *string `json:"next_cursor"`
	}
	if err := v.get("/api/admin/deliveries"+v.listQuery(), &answer); err != nil {
		return err
	}
	t := table{Columns: []string{"Delivery", "Event", "Receiver", "Merchant", "Stands", "Last attempt", "Again"}, Empty: "None failed."}
	for _, d := range answer.Deliveries {
		t.Rows = append(t.Rows, []cell{
			{Text: d.ID, Code: true, Links: v.workflow(workflowOfDelivery(d.ID, d.ResourceID, d.Attempts))},
			plain(d.Event + " of " + d.ResourceID), plain(d.URL), merchantCell(&d.MerchantID),
			plain(d.Status + " after " + d.Attempts.String() + ": " + orDash(d.Error)), plain(moment(d.LastAttemptAt)),
			{Form: &form{Action: Root + "/deliveries/" + d.ID + "/redeliver", Button: "Send again"}},
		})
	}
	next := ""
	if answer.NextCursor != nil {
		next = v.nextPage(*answer.NextCursor)
	}
	return v.show(&page{
		Title: "Deliveries", Text: "Webhook deliveries of all merchants that failed or were dropped.",
		Links: runbookLink("webhook-failures"), Tables: []table{t}, Next: next,
	})
}

// redeliver sends a delivery again. The API refuses this while the delivery is pending, so a
// form that is sent twice begins one round of attempts.
func (v *visit) redeliver() error {
	if err := v.post("/api/admin/deliveries/"+v.id()+"/redeliver", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done(Root + "/deliveries")
}

// audit lists the changes that operators made.
func (v *visit) audit() error {
	var answer struct {
		Changes []struct {
			At      string          `json:"at"`
			Actor   string          `json:"actor"`
			Action  string          `json:"action"`
			Subject string          `json:"subject"`
			Detail  json.RawMessage `json:"detail"`
		} `json:"changes"`
		NextCursor number `json:"next_cursor"`
	}
	if err := v.get("/api/admin/audit"+v.listQuery(), &answer); err != nil {
		return err
	}
	t := table{Columns: []string{"When", "Who", "What", "About", "Detail"}, Empty: "Nobody has changed anything."}
	for _, c := range answer.Changes {
		t.Rows = append(t.Rows, []cell{plain(moment(&c.At)), code(c.Actor), plain(c.Action), code(c.Subject), code(string(c.Detail))})
	}
	return v.show(&page{Title: "Audit", Text: "The newest first; nothing is ever removed.", Tables: []table{t}, Next: v.nextPage(answer.NextCursor.String())})
}
