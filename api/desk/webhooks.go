package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/webhook"
)

// webhooks lists the webhooks, with a form for a new one.
func (v *visit) webhooks() error {
	all := v.list("/api/webhooks", "webhooks")
	all = slices.DeleteFunc(all, func(h answer) bool { return h.text("mode") != string(v.session.Mode) })
	t := table(v, "webhooks", "webhooks.none", all, columns{
		{"webhooks.url", func(h answer) cell {
			return cell{Text: h.text("url"), Code: true, Links: []link{{Href: "/deliveries" + query("webhook", h.id()), Text: v.t("deliveries")}}}
		}},
		{"webhooks.events", func(h answer) cell { return plain(strings.Join(h.names("events"), ", ")) }},
		{"webhooks.since", v.when("created_at")},
		{"webhooks.test", func(h answer) cell {
			return cell{Form: &form{Action: "/webhooks/" + h.id() + "/test", Button: v.t("webhooks.test"), Small: true}}
		}},
		{"webhooks.delete", v.removes("/webhooks/{id}/delete", "id", "webhooks.delete")},
	})
	target := needed(v.text("url", "webhooks.url", 2000))
	target.Type = "url"
	add := form{
		Action: "/webhooks", Title: v.t("webhooks.new"), Text: v.t("webhooks." + string(v.session.Mode)), Button: v.t("webhooks.add"),
		Fields: append(append([]field{target}, v.eventFields()...), v.choice("retries", "webhooks.retries", "webhooks.retries_", "short", "short", "long"),
			field{Name: "use_tor", Label: v.t("webhooks.tor"), Type: "checkbox", Checked: v.chosen("/webhooks", "use_tor", "on", false)}),
	}
	return v.show(&page{Parts: []part{
		{Links: []link{{Href: "/deliveries", Text: v.t("deliveries")}, {Href: "/docs/merchant/webhooks", Text: v.t("docs")}}, Table: t}, {Forms: []form{add}},
	}}, v.t("webhooks"))
}

// presetField is the field with a preset of several boxes; ownPreset is the one that takes the boxes.
const (
	presetField = "preset"
	ownPreset   = "own"
)

// presets returns the field that chooses among presets. The id of each text is prefix and preset.
func (v *visit) presets(label, prefix, is string, all ...string) field {
	f := field{Name: presetField, Label: v.t(label), Type: "radio"}
	for _, one := range append(all, ownPreset) {
		f.Options = append(f.Options, kit.Option{Value: one, Text: v.t(prefix + one), Hint: v.t(prefix + one + "_hint"), Chosen: v.filled(presetField, is) == one})
	}
	return f
}

// eventPresets returns the events of each preset: what a shop needs, and all.
func eventPresets() map[string][]string {
	return map[string][]string{
		"sales": {charge.EventConfirmed, charge.EventLateConfirmed, charge.EventExpired},
		"all":   webhook.Events(),
	}
}

// eventFields returns the fields for the events of a webhook: presets, and a box for each event.
func (v *visit) eventFields() []field {
	boxes := field{Name: "events", Label: v.t("webhooks.events"), Type: "checkbox"}
	for _, name := range webhook.Events() {
		boxes.Options = append(boxes.Options, kit.Option{
			Value: name, Text: name, Hint: v.t("event_means." + strings.ReplaceAll(name, ".", "_")), Chosen: v.chosen("/webhooks", "events", name, slices.Contains(eventPresets()["sales"], name)),
		})
	}
	return []field{
		v.presets("webhooks.events", "webhooks.preset_", "sales", "sales", "all"),
		{Label: v.t("webhooks.each"), Type: "group", Open: v.form(presetField) == ownPreset, Fields: []field{boxes}},
	}
}

// typedEvents returns the events that the form chooses.
func (v *visit) typedEvents() []string {
	if preset := eventPresets()[v.form(presetField)]; preset != nil {
		return preset
	}
	return append([]string{}, v.r.PostForm["events"]...)
}

// chosen reports whether a box of the form with an action is checked: as submitted if that form was
// refused, otherwise as currently set.
func (v *visit) chosen(action, name, value string, is bool) bool {
	if v.refusedOf(action) {
		return slices.Contains(v.r.PostForm[name], value)
	}
	return is
}

// addWebhook creates a webhook and shows its secret. It is the only page that shows it.
func (v *visit) addWebhook() error {
	content := body{"url": v.form("url"), "events": v.typedEvents(), "use_tor": v.form("use_tor") != "", "mode": v.session.Mode}.with("retries", v.form("retries"))
	made := v.made("/api/webhooks", content)
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Title: v.t("webhooks.secret"), Text: v.t("webhooks.secret_text"), Copy: made.text("secret"), Facts: []fact{v.fact("webhooks.url", made.text("url"))}},
		{Buttons: []link{{Href: "/webhooks", Text: v.t("welcome.go_on")}}},
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
