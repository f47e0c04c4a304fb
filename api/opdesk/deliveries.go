package opdesk

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
