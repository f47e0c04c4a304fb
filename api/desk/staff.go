package desk

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
)

func roles() []string { return []string{"cashier", "support", "accountant", "owner"} }

// staff lists the shop's staff and its invites, with a form for a new invite.
func (v *visit) staff() error {
	all := v.read("/api/account/staff")
	m := v.me()
	parts := []part{{Table: table(v, "staff", "staff.none", all.list("staff"), columns{
		{"email", func(p answer) cell { return cell{Text: p.text("email"), Href: "/staff/" + p.text("person_id")} }},
		{"staff.role", v.byValue("staff.role_", "role")}, {"webhooks.since", v.when("created_at")},
		{"staff.remove", v.removes("/staff/{id}/remove", "person_id", "staff.remove")},
	})}}
	if invites := all.list("invites"); len(invites) > 0 {
		parts = append(parts, part{Title: v.t("staff.invites"), Table: table(v, "staff.invites", "", invites, columns{
			{"staff.note", says("note")}, {"staff.role", v.byValue("staff.role_", "role")}, {"charge.expires", v.when("expires_at")},
			{"keys.revoke", func(i answer) cell {
				return cell{Form: &form{Action: "/staff/invites/" + i.id() + "/revoke", Button: v.t("keys.revoke"), Small: true}}
			}},
		})})
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
	of := func(prefix string) func(string) cell {
		return func(role string) cell { return plain(v.t(prefix + role)) }
	}
	return part{Title: v.t("staff.may"), Table: table(v, "staff.may", "", roles(), []column[string]{
		{"staff.role", of("staff.role_")}, {"keys.may", of("staff.may_")},
	})}
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
	made := v.made("/api/account/staff/invites", v.role().with("note", v.form("note")))
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Text: v.t("staff.link_text"), Copy: made.text("link")}, {Buttons: []link{{Href: "/staff", Text: v.t("welcome.go_on")}}},
	}}, v.t("staff.invite"))
}

// person shows one member of the staff, with a form for another role.
func (v *visit) person() error {
	all := v.read("/api/account/staff")
	m := v.me()
	for _, p := range all.list("staff") {
		if p.text("person_id") != v.id() {
			continue
		}
		return v.show(&page{Narrow: true, Parts: []part{{
			Links: []link{{Href: "/staff", Text: v.t("staff")}},
			Facts: []fact{v.fact("staff.role", v.t("staff.role_"+p.text("role"))), v.fact("webhooks.since", v.moment(p.text("created_at")))},
			Forms: []form{{
				Action: "/staff/" + p.text("person_id"), Button: v.t("save"),
				Fields: append(v.roleFields(p.text("role"), trimmed(p.number("refunds_a_day_xmr"))), v.codeOf(m, "role-code")...),
			}},
		}, v.whatRolesMay()}}, p.text("email"))
	}
	if err := v.failure(); err != nil {
		return err
	}
	v.say(http.StatusNotFound, v.t("refused.title"), v.t("staff.gone"))
	return nil
}

// actions lists the actions of the people in the shop, newest first.
func (v *visit) actions() error {
	asked := url.Values{"limit": {"50"}}
	for _, name := range []string{"cursor", "person"} {
		if value := v.r.URL.Query().Get(name); value != "" {
			asked.Set(name, value)
		}
	}
	all := v.read("/api/account/actions?" + asked.Encode())
	person := asked.Get("person")
	list := part{Table: table(v, "actions", "actions.none", all.list("actions"), columns{
		{"actions.what", v.did}, {"actions.ended", v.ended},
		{"actions.who", func(a answer) cell {
			return cell{Text: orNone(a.text("email")), Href: "/actions" + query("person", a.text("person_id"))}
		}},
		{"charges.when", v.when("at")}, {"actions.about", actedOn},
		{"staff.role", func(a answer) cell {
			if role := a.text("role"); role != "" {
				return cell{Text: v.t("staff.role_" + role), WideOnly: true}
			}
			return cell{Text: v.t("shops.own"), WideOnly: true}
		}},
	})}
	list.Table.Brief = true
	if next := all.text("next_cursor"); next != "" {
		following := url.Values{"cursor": {next}}
		if person != "" {
			following.Set("person", person)
		}
		list.Next = &link{Href: "/actions?" + following.Encode(), Text: v.t("next")}
	}
	parts := []part{list}
	if v.may("listStaff") {
		parts = append([]part{v.personChips(person)}, parts...)
	}
	return v.show(&page{Text: v.t("actions.text"), Parts: parts}, v.t("actions"))
}

// personChips returns the links that each show what one person did: the owner of the account and the
// staff.
func (v *visit) personChips(person string) part {
	chip := func(id, text string) link {
		l := link{Href: "/actions", Text: text, Current: id == person}
		if id != "" {
			l.Href += query("person", id)
		}
		return l
	}
	chips := []link{chip("", v.t("actions.all")), chip(v.shop(), v.t("shops.own"))}
	for _, p := range v.list("/api/account/staff", "staff") {
		chips = append(chips, chip(p.text("person_id"), p.text("email")))
	}
	return part{Chips: chips}
}

// acted finds the identifier in the path of an action.
var acted = regexp.MustCompile(`\b(ch|pr|rf|whd|swp)_[0-9a-z]+`)

// actedOn returns what an action was about, with a link to its page.
func actedOn(a answer) cell {
	found := acted.FindStringSubmatch(a.text("path"))
	if found == nil {
		return cell{}
	}
	pages := map[string]string{"ch": "/charges/", "pr": "/payment-requests/", "whd": "/deliveries/", "swp": "/swaps/"}
	c := code(found[0])
	if page, has := pages[found[1]]; has {
		c.Href = page + found[0]
	} else {
		c.Href = "/refunds"
	}
	return c
}

// did returns the text for an operation of the API. It returns the operation itself if the
// catalogue has no text for it, for example because an older version recorded it.
func (v *visit) did(action answer) cell {
	operation := action.text("operation")
	if text := v.t("did." + operation); text != "did."+operation {
		return plain(text)
	}
	return code(operation)
}

// ended returns the result of an action as text, by the status of its answer.
func (v *visit) ended(action answer) cell {
	switch status := action.count("status"); {
	case status == 0:
		return cell{Text: v.t("actions.unknown"), Warn: true}
	case status < 300:
		return plain(v.t("actions.done"))
	default:
		return cell{Text: v.t("actions.refused", status), Warn: true}
	}
}

// worksIn returns the other merchants' shops that the person works in.
func (v *visit) worksIn() ([]answer, error) {
	var a answer
	err := v.own(http.MethodGet, "/api/account/shops", nil, &a)
	return a.list("shops"), err
}

// shops lets a person choose the shop to work in.
func (v *visit) shops() error {
	all, err := v.worksIn()
	if err != nil {
		return err
	}
	m := v.me()
	t := table(v, "shops", "", all, columns{
		{"shops.shop", func(s answer) cell { return plain(s.text("businessName")) }}, {"staff.role", v.byValue("staff.role_", "role")},
		{"shops.work", func(s answer) cell { return v.chooses(s.text("merchant_id")) }},
		{"shops.leave", v.removes("/shops/{id}/leave", "merchant_id", "shops.leave")},
	})
	t.Rows = append([][]cell{{plain(m.text("businessName")), plain(v.t("shops.own")), v.chooses(""), {}}}, t.Rows...)
	return v.show(&page{Text: v.t("shops.text"), Parts: []part{{Table: t}}}, v.t("shops"))
}

// chooses returns a cell with a button that switches to a shop.
func (v *visit) chooses(id string) cell {
	if id == v.session.Shop {
		return cell{Text: v.t("shops.now"), Good: true}
	}
	return cell{Form: &form{Action: "/shops", Button: v.t("shops.work"), Small: true, Hidden: []kit.Hidden{{Name: "shop", Value: id}}}}
}

// chooseShop switches to a shop that the person works in, or to their own.
func (v *visit) chooseShop() error {
	id := v.form("shop")
	all, err := v.worksIn()
	if err != nil {
		return err
	}
	v.session.Shop, v.session.ShopName = "", ""
	for _, s := range all {
		if id != "" && s.text("merchant_id") == id {
			v.session.Shop, v.session.ShopName = id, s.text("businessName")
		}
	}
	if v.session.Shop != id {
		return v.refusal(http.StatusForbidden, "shops.not_yours")
	}
	v.session.Mode = config.Live
	v.keepSession()
	return v.redirect("/")
}

// leaveShop ends the person's work in a shop.
func (v *visit) leaveShop() error {
	if err := v.own(http.MethodPost, "/api/account/shops/"+v.id()+"/leave", nil, &struct{}{}); err != nil {
		return err
	}
	if v.session.Shop == v.id() {
		v.session.Shop, v.session.ShopName = "", ""
		v.keepSession()
	}
	return v.done("/shops")
}

// showJoin asks the person to confirm that they join the shop of an invite.
func (v *visit) showJoin() error {
	var s answer
	token := chi.URLParam(v.r, "token")
	err := v.own(http.MethodPost, "/api/account/shops/invitation", body{"token": token}, &s)
	if refused, is := errors.AsType[*web.Error](err); is && refused.Status == http.StatusNotFound {
		v.say(http.StatusNotFound, v.t("join"), v.t("join.gone"))
		return nil
	}
	if err != nil {
		return err
	}
	m := v.me()
	return v.show(&page{Narrow: true, Parts: []part{{
		Text:  v.t("join.text", m.text("email")),
		Facts: []fact{v.fact("shops.shop", s.text("businessName")), v.fact("staff.role", v.t("staff.role_"+s.text("role")))},
		Forms: []form{{Action: "/join/" + url.PathEscape(token), Text: v.t("staff.may_" + s.text("role")), Button: v.t("join")}},
	}}}, v.t("join"))
}

// join accepts the invite and switches to the shop.
func (v *visit) join() error {
	var s answer
	if err := v.own(http.MethodPost, "/api/account/shops", body{"token": chi.URLParam(v.r, "token")}, &s); err != nil {
		return err
	}
	v.session.Shop, v.session.ShopName, v.session.Mode = s.text("merchant_id"), s.text("businessName"), config.Live
	v.keepSession()
	return v.redirect("/")
}
