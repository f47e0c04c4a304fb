package opdesk

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
