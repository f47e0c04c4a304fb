package desk

import (
	"net/url"
	"strconv"
)

// actions lists the actions of the people in the shop, newest first.
func (v *visit) actions() error {
	asked := url.Values{"limit": {"50"}}
	if cursor := v.r.URL.Query().Get("cursor"); cursor != "" {
		asked.Set("cursor", cursor)
	}
	var answer struct {
		Actions []struct {
			At        string `json:"at"`
			Email     string `json:"email"`
			Role      string `json:"role"`
			Operation string `json:"operation"`
			Path      string `json:"path"`
			Status    int    `json:"status"`
		} `json:"actions"`
		Next string `json:"next_cursor"`
	}
	if err := v.get("/api/account/actions?"+asked.Encode(), &answer); err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("actions"), Empty: v.t("actions.none"),
		Columns: []string{v.t("charges.when"), v.t("actions.who"), v.t("staff.role"), v.t("actions.what"), v.t("actions.about"), v.t("actions.ended")},
	}
	for _, a := range answer.Actions {
		role := v.t("shops.own")
		if a.Role != "" {
			role = v.t("staff.role_" + a.Role)
		}
		t.Rows = append(t.Rows, []cell{plain(v.moment(&a.At)), plain(orNone(&a.Email)), plain(role), v.did(a.Operation), code(a.Path), v.ended(a.Status)})
	}
	list := part{Links: v.settingsLinks(), Table: t}
	if answer.Next != "" {
		list.Next = &link{Href: "/actions" + query("cursor", answer.Next), Text: v.t("next")}
	}
	return v.show(&page{Text: v.t("actions.text"), Parts: []part{list}}, v.t("actions"))
}

// did returns the text for an operation of the API. It returns the operation itself if the
// catalogue has no text for it, for example because an older version recorded it.
func (v *visit) did(operation string) cell {
	if text := v.t("did." + operation); text != "did."+operation {
		return plain(text)
	}
	return code(operation)
}

// ended returns the result of an action as text, by the status of its answer.
func (v *visit) ended(status int) cell {
	switch {
	case status == 0:
		return cell{Text: v.t("actions.unknown"), Warn: true}
	case status < 300:
		return plain(v.t("actions.done"))
	default:
		return cell{Text: v.t("actions.refused", strconv.Itoa(status)), Warn: true}
	}
}
