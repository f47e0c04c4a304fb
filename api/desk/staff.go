package desk

import (
	"net/http"
	"net/url"
	"strconv"
)

func roles() []string { return []string{"cashier", "support", "accountant", "owner"} }

// staffAnswer is the API's representation of the staff.
type staffAnswer struct {
	Staff []struct {
		ID          string `json:"person_id"`
		Email       string `json:"email"`
		Role        string `json:"role"`
		RefundsADay number `json:"refunds_a_day_xmr"`
		CreatedAt   string `json:"created_at"`
	} `json:"staff"`
	Invites []struct {
		ID        string `json:"id"`
		Note      string `json:"note"`
		Role      string `json:"role"`
		ExpiresAt string `json:"expires_at"`
	} `json:"invites"`
}

// staff lists the shop's staff and its invites, with a form for a new invite.
func (v *visit) staff() error {
	var all staffAnswer
	if err := v.get("/api/account/staff", &all); err != nil {
		return err
	}
	m, err := v.me()
	if err != nil {
		return err
	}
	people := &sheetTable{
		Label: v.t("staff"), Empty: v.t("staff.none"), Columns: []string{v.t("email"), v.t("staff.role"), v.t("webhooks.since"), v.t("staff.remove")},
	}
	for _, p := range all.Staff {
		people.Rows = append(people.Rows, []cell{
			{Text: p.Email, Href: "/staff/" + p.ID}, plain(v.t("staff.role_" + p.Role)), plain(v.moment(&p.CreatedAt)),
			{Form: &form{Action: "/staff/" + p.ID + "/remove", Sure: v.t("staff.remove"), Button: v.t("sure"), Small: true}},
		})
	}
	parts := []part{{Links: v.settingsLinks(), Table: people}}
	if len(all.Invites) > 0 {
		t := &sheetTable{Label: v.t("staff.invites"), Columns: []string{v.t("staff.note"), v.t("staff.role"), v.t("charge.expires"), v.t("keys.revoke")}}
		for _, i := range all.Invites {
			t.Rows = append(t.Rows, []cell{
				plain(orNone(&i.Note)), plain(v.t("staff.role_" + i.Role)), plain(v.moment(&i.ExpiresAt)),
				{Form: &form{Action: "/staff/invites/" + i.ID + "/revoke", Button: v.t("keys.revoke"), Small: true}},
			})
		}
		parts = append(parts, part{Title: v.t("staff.invites"), Table: t})
	}
	fields := append(v.roleFields("cashier", ""), hinted(v.text("note", "staff.note", 100), v.t("staff.note_hint")))
	parts = append(parts, part{Forms: []form{{
		Action: "/staff/invites", Title: v.t("staff.invite"), Text: v.t("staff.invite_text"), Button: v.t("staff.invite_make"),
		Fields: append(fields, v.codeOf(m, "invite-code")...),
	}}}, v.whatRolesMay())
	return v.show(&page{Text: v.t("staff.text"), Parts: parts}, v.t("staff"))
}

// roleFields returns the fields for a role. aDay is the current daily limit of refunds.
func (v *visit) roleFields(is, aDay string) []field {
	sum := hinted(v.decimal("refunds_a_day", "staff.refunds"), v.t("staff.refunds_hint"))
	sum.Value = v.filled("refunds_a_day", aDay)
	return []field{v.choice("role", "staff.role", "staff.role_", is, roles()...), sum}
}

// whatRolesMay shows the permissions of each role.
func (v *visit) whatRolesMay() part {
	t := &sheetTable{Label: v.t("staff.may"), Columns: []string{v.t("staff.role"), v.t("keys.may")}}
	for _, r := range roles() {
		t.Rows = append(t.Rows, []cell{plain(v.t("staff.role_" + r)), plain(v.t("staff.may_" + r))})
	}
	return part{Title: v.t("staff.may"), Table: t}
}

// role returns the values of the roleFields.
func (v *visit) role() body {
	content := v.withCode(body{"role": v.form("role")})
	if sum := v.form("refunds_a_day"); sum != "" && v.form("role") == "support" { // the form has this field for every role
		content["refunds_a_day_xmr"] = amount(sum)
	}
	return content
}

// inviteStaff creates an invite and shows its link. It is the only page that shows it.
func (v *visit) inviteStaff() error {
	var made struct {
		Link string `json:"link"`
	}
	if err := v.post("/api/account/staff/invites", v.role().with("note", v.form("note")), &made); err != nil {
		return err
	}
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Text: v.t("staff.link_text"), Copy: made.Link}, {Buttons: []link{{Href: "/staff", Text: v.t("staff")}}},
	}}, v.t("staff.invite"))
}

func (v *visit) revokeInvite() error {
	if err := v.post("/api/account/staff/invites/"+v.id()+"/revoke", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/staff")
}

// person shows one member of the staff, with a form for another role.
func (v *visit) person() error {
	var all staffAnswer
	if err := v.get("/api/account/staff", &all); err != nil {
		return err
	}
	m, err := v.me()
	if err != nil {
		return err
	}
	for _, p := range all.Staff {
		if p.ID != v.id() {
			continue
		}
		return v.show(&page{Narrow: true, Parts: []part{{
			Links: []link{{Href: "/staff", Text: v.t("staff")}},
			Facts: []fact{named(v.t("staff.role"), plain(v.t("staff.role_"+p.Role))), named(v.t("webhooks.since"), plain(v.moment(&p.CreatedAt)))},
			Forms: []form{{
				Action: "/staff/" + p.ID, Button: v.t("save"), Fields: append(v.roleFields(p.Role, trimmed(p.RefundsADay)), v.codeOf(m, "role-code")...),
			}},
		}, v.whatRolesMay()}}, p.Email)
	}
	v.say(http.StatusNotFound, v.t("refused.title"), v.t("staff.gone"))
	return nil
}

// setRole changes the role of a member of the staff.
func (v *visit) setRole() error {
	if err := v.put("/api/account/staff/"+v.id(), v.role()); err != nil {
		return err
	}
	return v.done("/staff")
}

func (v *visit) removeStaff() error {
	if err := v.post("/api/account/staff/"+v.id()+"/remove", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/staff")
}

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
