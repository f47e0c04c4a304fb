package desk

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
)

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
	t := table(v, "deliveries", "deliveries.none", all, columns{
		{"deliveries.event", func(d answer) cell {
			return cell{Text: d.text("event"), Href: "/deliveries/" + d.id() + query("of", d.text("resource_id")), Row: true}
		}},
		{"charges.state", v.deliveryState},
		{"charges.about", func(d answer) cell { return code(d.text("resource_id")) }}, {"charges.when", v.when("created_at")},
		{"deliveries.attempts", func(d answer) cell { return cell{Text: d.text("attempts"), WideOnly: true} }},
	})
	t.Brief = true
	return t
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

// delivery shows one delivery: what is sent, and each attempt with its headers and its answer.
func (v *visit) delivery() error {
	d := v.read(v.at("/api/webhooks/deliveries/{id}/attempts"))
	var payload bytes.Buffer
	if json.Indent(&payload, d["payload"], "", "  ") != nil {
		payload.Write(d["payload"])
	}
	of := d.text("resource_id")
	about := code(of)
	if strings.HasPrefix(of, "ch_") {
		about = chargeCell(of)
	}
	parts := []part{{Links: []link{{Href: "/deliveries", Text: v.t("deliveries")}, {Href: "/webhooks", Text: v.t("webhooks")}}, Wide: true, Facts: known(
		named(v.t("charges.state"), v.deliveryState(d)), named(v.t("webhooks.url"), code(d.text("webhook_url"))), named(v.t("charges.about"), about),
		v.fact("deliveries.attempts", d.text("attempts")), v.fact("charges.when", v.moment(d.text("created_at"))),
		v.fact("deliveries.following", v.moment(d.text("next_attempt_at"))), named(v.t("delivery"), code(d.id())),
	)}}
	if d.text("status") != "pending" {
		parts = append(parts, part{Forms: []form{{
			Action: "/deliveries/" + d.id() + "/redeliver", Text: v.t("deliveries.again_text"), Button: v.t("deliveries.again"), Lesser: true,
			Hidden: []kit.Hidden{{Name: "of", Value: of}},
		}}})
	}
	for _, a := range d.list("log") {
		parts = append(parts, part{Title: v.t("deliveries.attempt", a.text("attempt")), Wide: true, Facts: []fact{
			v.fact("charges.when", v.moment(a.text("at"))), named(v.t("charges.state"), v.attemptState(a)),
		}}, part{Text: v.t("deliveries.headers"), Plain: a.text("request_headers")})
		if answered := a.text("answer"); answered != "" {
			parts = append(parts, part{Text: v.t("deliveries.answer"), Plain: answered})
		}
	}
	parts = append(parts, part{Title: v.t("deliveries.body"), Plain: payload.String()})
	return v.show(&page{Parts: parts}, d.text("event"))
}

// attemptState says how an attempt ended: with a status of HTTP, or why there was none.
func (v *visit) attemptState(a answer) cell {
	reason := a.text("error")
	c := cell{Text: reason, Good: reason == "", Warn: reason != ""}
	if answered := a.text("http_status"); answered != "" {
		c.Text = strings.TrimSuffix("HTTP "+answered+" · "+reason, " · ")
	}
	return c
}

// redeliver sends a delivery again.
func (v *visit) redeliver() error {
	var again answer
	if err := v.post(v.at("/api/webhooks/deliveries/{id}/redeliver"), nil, &again); err != nil {
		return err
	}
	return v.redirect("/deliveries/" + v.id() + query("of", again.text("resource_id")) + "&done=1")
}
