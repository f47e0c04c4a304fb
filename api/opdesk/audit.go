package opdesk

import "encoding/json"

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
