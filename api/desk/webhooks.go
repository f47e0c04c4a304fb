package desk

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/webhook"
)

// webhooks lists the webhooks, with a form for a new one.
func (v *visit) webhooks() error {
	all := v.list("/api/webhooks", "webhooks")
	all = slices.DeleteFunc(all, func(h answer) bool { return h.text("mode") != string(v.session.Mode) })
	t := table(v, "webhooks", "webhooks.none", all, columns{
		{"webhooks.url", func(h answer) cell {
			return cell{Text: h.text("url"), Links: []link{{Href: "/deliveries" + query("webhook", h.id()), Text: v.t("deliveries")}}}
		}},
		{"webhooks.events", func(h answer) cell { return plain(strings.Join(h.names("events"), ", ")) }},
		{"webhooks.since", v.when("created_at")},
		{"webhooks.test", func(h answer) cell {
			return cell{Form: &form{Action: "/webhooks/" + h.id() + "/test", Button: v.t("webhooks.test"), Small: true}}
		}},
		{"webhooks.delete", v.removes("/webhooks/{id}/delete", "id", "webhooks.delete")},
	})
	events := field{Name: "events", Label: v.t("webhooks.events"), Type: "checkbox"}
	for _, name := range webhook.Events() {
		if name != webhook.EventPing {
			events.Options = append(events.Options, kit.Option{Value: name, Text: name, Chosen: v.chosen("events", name, name == "charge.confirmed" || name == "charge.expired")})
		}
	}
	target := needed(v.text("url", "webhooks.url", 2000))
	target.Type = "url"
	add := form{
		Action: "/webhooks", Title: v.t("webhooks.new"), Text: v.t("webhooks." + string(v.session.Mode)), Button: v.t("webhooks.add"),
		Fields: []field{target, events, {Name: "use_tor", Label: v.t("webhooks.tor"), Type: "checkbox", Checked: v.chosen("use_tor", "on", false)}},
	}
	return v.show(&page{Parts: []part{
		{Links: v.settingsLinks()},
		{Links: []link{{Href: "/deliveries", Text: v.t("deliveries")}, {Href: "/docs/merchant/webhooks", Text: v.t("docs")}}, Table: t}, {Forms: []form{add}},
	}}, v.t("webhooks"))
}

// chosen reports whether a box is checked: as submitted if the form was refused, otherwise as
// currently set.
func (v *visit) chosen(name, value string, is bool) bool {
	if v.problem != "" && v.r.Method == http.MethodPost {
		return slices.Contains(v.r.PostForm[name], value)
	}
	return is
}

// addWebhook creates a webhook and shows its secret. It is the only page that shows it.
func (v *visit) addWebhook() error {
	content := body{"url": v.form("url"), "events": append([]string{}, v.r.PostForm["events"]...), "use_tor": v.form("use_tor") != "", "mode": v.session.Mode}
	made := v.made("/api/webhooks", content)
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Title: v.t("webhooks.secret"), Text: v.t("webhooks.secret_text"), Copy: made.text("secret"), Facts: []fact{v.fact("webhooks.url", made.text("url"))}},
		{Buttons: []link{{Href: "/webhooks", Text: v.t("webhooks")}}},
	}}, v.t("webhooks.new"))
}

// testWebhook sends a ping.
func (v *visit) testWebhook() error {
	var sent answer
	if err := v.post(v.at("/api/webhooks/{id}/test"), nil, &sent); err != nil {
		return err
	}
	return v.redirect("/deliveries" + query("webhook", sent.text("webhook_id")))
}

func (v *visit) deliveriesOf(resource string) []answer {
	return v.list("/api/webhooks/deliveries"+query("resource_id", resource), "deliveries")
}

// deliveries lists the newest deliveries, of all webhooks or of one.
func (v *visit) deliveries() error {
	path := v.narrowed("/api/webhooks/deliveries?")
	if webhookID := v.r.URL.Query().Get("webhook"); webhookID != "" {
		path = "/api/webhooks/" + escaped(webhookID) + "/deliveries"
	}
	all := v.list(path, "deliveries")
	shown, next := partOf(v, list[answer]{page: "/deliveries", cursor: "cursor", atOnce: listedAtOnce, id: answer.id}, all)
	parts := []part{{Links: []link{{Href: "/webhooks", Text: v.t("webhooks")}}}}
	parts = append(parts, v.widen("/deliveries", v.t("attention.deliveries"))...)
	return v.show(&page{Parts: append(parts, part{Table: v.deliveryTable(shown), Next: next})}, v.t("deliveries"))
}

func (v *visit) deliveryTable(all []answer) *kit.Table {
	return table(v, "deliveries", "deliveries.none", all, columns{
		{"charges.when", v.when("created_at")}, {"deliveries.event", says("event")}, {"charges.state", v.deliveryState}, {"deliveries.attempts", says("attempts")},
		{"delivery", func(d answer) cell {
			return cell{Text: d.id(), Code: true, Href: "/deliveries/" + d.id() + query("of", d.text("resource_id"))}
		}},
	})
}

func (v *visit) deliveryState(d answer) cell {
	status := d.text("status")
	c := cell{Text: v.t("delivery." + status), Good: status == "delivered", Warn: status == "failed" || status == "dropped"}
	if answered := d.text("http_status"); answered != "" {
		c.Text += " · HTTP " + answered
	}
	if reason := d.text("error"); reason != "" {
		c.Text += " · " + reason
	}
	return c
}

// delivery shows one delivery: the request and the receiver's answer.
func (v *visit) delivery() error {
	path := "/api/webhooks/deliveries?limit=500"
	if of := v.r.FormValue("of"); of != "" {
		path = "/api/webhooks/deliveries" + query("resource_id", of) + "&limit=500"
	}
	all := v.list(path, "deliveries")
	d := v.oneOf(all, "deliveries.gone")
	var payload bytes.Buffer
	if json.Indent(&payload, d["payload"], "", "  ") != nil {
		payload.Write(d["payload"])
	}
	of := d.text("resource_id")
	about := code(of)
	if strings.HasPrefix(of, "ch_") {
		about = chargeCell(of)
	}
	p := &page{Parts: []part{{Links: []link{{Href: "/deliveries", Text: v.t("deliveries")}, {Href: "/webhooks", Text: v.t("webhooks")}}, Facts: []fact{
		named(v.t("charges.state"), v.deliveryState(d)), named(v.t("charges.about"), about), v.fact("deliveries.attempts", d.text("attempts")),
		v.fact("charges.when", v.moment(d.text("created_at"))), v.fact("deliveries.last", v.moment(d.text("last_attempt_at"))),
		v.fact("deliveries.following", v.moment(d.text("next_attempt_at"))), named(v.t("webhook"), code(d.text("webhook_id"))), named(v.t("delivery"), code(d.id())),
	}}, {Title: v.t("deliveries.body"), Plain: payload.String()}}}
	if d.text("status") != "pending" {
		p.Parts = append(p.Parts, part{Forms: []form{{
			Action: "/deliveries/" + d.id() + "/redeliver", Text: v.t("deliveries.again_text"), Button: v.t("deliveries.again"), Lesser: true,
			Hidden: []kit.Hidden{{Name: "of", Value: of}},
		}}})
	}
	return v.show(p, d.text("event"))
}

// redeliver sends a delivery again.
func (v *visit) redeliver() error {
	var again answer
	if err := v.post(v.at("/api/webhooks/deliveries/{id}/redeliver"), nil, &again); err != nil {
		return err
	}
	return v.redirect("/deliveries/" + v.id() + query("of", again.text("resource_id")) + "&done=1")
}
