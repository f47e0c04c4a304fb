package desk

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/webhook"
)

// webhooks lists the webhooks, with a form for a new one.
func (v *visit) webhooks() error {
	var answer struct {
		Webhooks []struct {
			ID        string   `json:"id"`
			URL       string   `json:"url"`
			Events    []string `json:"events"`
			UseTor    int      `json:"use_tor"`
			Mode      string   `json:"mode"`
			CreatedAt string   `json:"created_at"`
		} `json:"webhooks"`
	}
	if err := v.get("/api/webhooks", &answer); err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("webhooks"), Empty: v.t("webhooks.none"),
		Columns: []string{v.t("webhooks.url"), v.t("webhooks.events"), v.t("webhooks.since"), v.t("webhooks.test"), v.t("webhooks.delete")},
	}
	for _, h := range answer.Webhooks {
		if h.Mode != string(v.session.Mode) {
			continue
		}
		here := "/webhooks/" + h.ID
		t.Rows = append(t.Rows, []cell{
			{Text: h.URL, Links: []link{{Href: "/deliveries" + query("webhook", h.ID), Text: v.t("deliveries")}}}, plain(strings.Join(h.Events, ", ")), plain(v.moment(&h.CreatedAt)),
			{Form: &form{Action: here + "/test", Button: v.t("webhooks.test"), Small: true}},
			{Form: &form{Action: here + "/delete", Sure: v.t("webhooks.delete"), Button: v.t("sure"), Small: true}},
		})
	}
	events := field{Name: "events", Label: v.t("webhooks.events"), Type: "checkbox"}
	for _, name := range webhook.Events() {
		if name != webhook.EventPing {
			events.Options = append(events.Options, sheet.Option{Value: name, Text: name, Chosen: v.chosen("events", name, name == "charge.confirmed" || name == "charge.expired")})
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
	var made struct {
		URL    string `json:"url"`
		Secret string `json:"secret"`
	}
	content := body{"url": v.form("url"), "events": append([]string{}, v.r.PostForm["events"]...), "use_tor": v.form("use_tor") != "", "mode": v.session.Mode}
	if err := v.post("/api/webhooks", content, &made); err != nil {
		return err
	}
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Title: v.t("webhooks.secret"), Text: v.t("webhooks.secret_text"), Copy: made.Secret, Facts: []fact{named(v.t("webhooks.url"), plain(made.URL))}},
		{Buttons: []link{{Href: "/webhooks", Text: v.t("webhooks")}}},
	}}, v.t("webhooks.new"))
}

func (v *visit) deleteWebhook() error {
	if err := v.call(http.MethodDelete, "/api/webhooks/"+v.id(), nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/webhooks")
}

// testWebhook sends a ping.
func (v *visit) testWebhook() error {
	var sent deliveryAnswer
	if err := v.post("/api/webhooks/"+v.id()+"/test", nil, &sent); err != nil {
		return err
	}
	return v.redirect("/deliveries" + query("webhook", sent.WebhookID))
}

// deliveryAnswer is the API's representation of a delivery.
type deliveryAnswer struct {
	ID          string          `json:"id"`
	WebhookID   string          `json:"webhook_id"`
	Event       string          `json:"event"`
	ResourceID  string          `json:"resource_id"`
	Status      string          `json:"status"`
	HTTPStatus  *int            `json:"http_status"`
	Attempts    int             `json:"attempts"`
	Error       *string         `json:"error"`
	Payload     json.RawMessage `json:"payload"`
	CreatedAt   string          `json:"created_at"`
	LastAttempt *string         `json:"last_attempt_at"`
	NextAttempt *string         `json:"next_attempt_at"`
	DeliveredAt *string         `json:"delivered_at"`
}

func (d deliveryAnswer) id() string { return d.ID }

func (v *visit) readDeliveries(path string) ([]deliveryAnswer, error) {
	var answer struct {
		Deliveries []deliveryAnswer `json:"deliveries"`
	}
	err := v.get(path, &answer)
	return answer.Deliveries, err
}

func (v *visit) deliveriesOf(resource string) ([]deliveryAnswer, error) {
	return v.readDeliveries("/api/webhooks/deliveries" + query("resource_id", resource))
}

// deliveries lists the newest deliveries, of all webhooks or of one.
func (v *visit) deliveries() error {
	path := v.narrowed("/api/webhooks/deliveries?")
	if webhookID := v.r.URL.Query().Get("webhook"); webhookID != "" {
		path = "/api/webhooks/" + escaped(webhookID) + "/deliveries"
	}
	all, err := v.readDeliveries(path)
	if err != nil {
		return err
	}
	shown, next := partOf(v, list[deliveryAnswer]{page: "/deliveries", cursor: "cursor", atOnce: listedAtOnce, id: deliveryAnswer.id}, all)
	parts := []part{{Links: []link{{Href: "/webhooks", Text: v.t("webhooks")}}}}
	parts = append(parts, v.widen("/deliveries", v.t("attention.deliveries"))...)
	return v.show(&page{Parts: append(parts, part{Table: v.deliveryTable(shown), Next: next})}, v.t("deliveries"))
}

func (v *visit) deliveryTable(all []deliveryAnswer) *sheetTable {
	t := &sheetTable{
		Label: v.t("deliveries"), Empty: v.t("deliveries.none"),
		Columns: []string{v.t("charges.when"), v.t("deliveries.event"), v.t("charges.state"), v.t("deliveries.attempts"), v.t("delivery")},
	}
	for _, d := range all {
		t.Rows = append(t.Rows, []cell{
			plain(v.moment(&d.CreatedAt)), plain(d.Event), v.deliveryState(d), plain(strconv.Itoa(d.Attempts)),
			{Text: d.ID, Code: true, Href: "/deliveries/" + d.ID + query("of", d.ResourceID)},
		})
	}
	return t
}

func (v *visit) deliveryState(d deliveryAnswer) cell {
	c := cell{Text: v.t("delivery." + d.Status), Good: d.Status == "delivered", Warn: d.Status == "failed" || d.Status == "dropped"}
	if d.HTTPStatus != nil {
		c.Text += " · HTTP " + strconv.Itoa(*d.HTTPStatus)
	}
	if d.Error != nil {
		c.Text += " · " + *d.Error
	}
	return c
}

// delivery shows one delivery: the request and the receiver's answer.
func (v *visit) delivery() error {
	path := "/api/webhooks/deliveries?limit=500"
	if of := v.r.FormValue("of"); of != "" {
		path = "/api/webhooks/deliveries" + query("resource_id", of) + "&limit=500"
	}
	all, err := v.readDeliveries(path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(d deliveryAnswer) bool { return d.ID == v.id() })
	if i < 0 {
		return v.refusal(http.StatusNotFound, "deliveries.gone")
	}
	d := all[i]
	var payload bytes.Buffer
	if json.Indent(&payload, d.Payload, "", "  ") != nil {
		payload.Write(d.Payload)
	}
	about := code(d.ResourceID)
	if strings.HasPrefix(d.ResourceID, "ch_") {
		about = v.chargeCell(d.ResourceID)
	}
	p := &page{Parts: []part{{Links: []link{{Href: "/deliveries", Text: v.t("deliveries")}, {Href: "/webhooks", Text: v.t("webhooks")}}, Facts: []fact{
		named(v.t("charges.state"), v.deliveryState(d)), named(v.t("charges.about"), about), named(v.t("deliveries.attempts"), plain(strconv.Itoa(d.Attempts))),
		named(v.t("charges.when"), plain(v.moment(&d.CreatedAt))), named(v.t("deliveries.last"), plain(v.moment(d.LastAttempt))),
		named(v.t("deliveries.following"), plain(v.moment(d.NextAttempt))), named(v.t("webhook"), code(d.WebhookID)), named(v.t("delivery"), code(d.ID)),
	}}, {Title: v.t("deliveries.body"), Plain: payload.String()}}}
	if d.Status != "pending" {
		p.Parts = append(p.Parts, part{Forms: []form{{
			Action: "/deliveries/" + d.ID + "/redeliver", Text: v.t("deliveries.again_text"), Button: v.t("deliveries.again"), Lesser: true,
			Hidden: []sheet.Hidden{{Name: "of", Value: d.ResourceID}},
		}}})
	}
	return v.show(p, d.Event)
}

// redeliver sends a delivery again.
func (v *visit) redeliver() error {
	var again deliveryAnswer
	if err := v.post("/api/webhooks/deliveries/"+v.id()+"/redeliver", nil, &again); err != nil {
		return err
	}
	return v.redirect("/deliveries/" + v.id() + query("of", again.ResourceID) + "&done=1")
}
