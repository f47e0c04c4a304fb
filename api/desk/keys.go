package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/permission"
)

// keys lists the keys of the account and of applications, and has the forms to create and
// replace them.
func (v *visit) keys() error {
	m := v.me()
	all := v.list("/api/account/application-keys", "keys")
	t := table(v, "keys.applications", "keys.none", all, columns{
		{"keys.label", says("label")}, {"keys.key", func(k answer) cell { return code(k.text("prefix") + "…") }},
		{"keys.may", v.permissions}, {"keys.used", v.when("last_used_at")}, {"keys.revoke", v.removes("/keys/{id}/revoke", "id", "keys.revoke")},
	})
	boxes := field{Name: "permissions", Label: v.t("keys.may"), Type: "checkbox"}
	for _, p := range permission.Grantable() {
		boxes.Options = append(boxes.Options, kit.Option{Value: string(p), Text: v.t(pages.PermissionText(p)), Chosen: v.chosen("/keys", "permissions", string(p), false)})
	}
	add := form{Action: "/keys", Title: v.t("keys.new"), Text: v.t("keys.new_text"), Button: v.t("keys.make"), Fields: append([]field{
		needed(v.text("label", "keys.label", 100)), v.choice("mode", "keys.mode", "keys.mode_", string(v.session.Mode), "live", "sandbox"),
		v.presets("keys.may", "keys.preset_", "shop", "shop", "payments", "read"), {Label: v.t("keys.each"), Type: "group", Open: v.form(presetField) == ownPreset, Fields: []field{boxes}},
	}, v.codeOf(m, "key-code")...)}
	own := []form{v.ownKeyForm(m, "sandbox"), v.ownKeyForm(m, "production")}
	return v.show(&page{Parts: []part{{Title: v.t("keys.applications"), Text: v.t("keys.webhooks"), Table: t}, {Forms: []form{add}}, {Forms: own}}}, v.t("keys.title"))
}

// keyPresets returns the permissions of each preset: what the plugins of shops ask for, what a program
// that sells needs, and reading.
func keyPresets() map[string][]permission.Permission {
	return map[string][]permission.Permission{
		"shop": {
			permission.ModifyInvoices, permission.ViewStoreSettings, permission.ModifyWebhooks, permission.CreateNonApprovedPullPayments,
		},
		"payments": {permission.ViewInvoices, permission.CreateInvoice, permission.ModifyPaymentRequests},
		"read":     {permission.ViewStoreSettings},
	}
}

// typedPermissions returns the permissions that the form chooses.
func (v *visit) typedPermissions() []string {
	preset := keyPresets()[v.form(presetField)]
	if preset == nil {
		return slices.Concat([]string{}, v.r.PostForm["permissions"])
	}
	names := make([]string, len(preset))
	for i, p := range preset {
		names[i] = string(p)
	}
	return names
}

// permissions returns the permissions of a key in words.
func (v *visit) permissions(key answer) cell {
	texts := key.names("permissions")
	for i, name := range texts {
		texts[i] = v.t(pages.PermissionText(permission.Permission(name)))
	}
	return plain(strings.Join(texts, "; "))
}

// codeOf returns the field for a two-factor code if the account requires one.
func (v *visit) codeOf(account answer, id string) []field {
	if !account.is("twoFactorEnabled") {
		return nil
	}
	return []field{{ID: id, Name: "totp_code", Label: v.t("two_factor.code"), Type: "text", Autocomplete: "one-time-code", Max: 40, Required: true, Digits: true}}
}

// ownKeyForm returns the form that replaces a key of the account.
func (v *visit) ownKeyForm(account answer, kind string) form {
	f := form{
		Action: "/keys/regenerate", Title: v.t("keys." + kind), Sure: v.t("keys.replace"), Warning: v.t("keys.replace_text"), Button: v.t("sure"), Lesser: true,
		Open:   v.refusedOf("/keys/regenerate") && v.form("type") == kind,
		Hidden: []kit.Hidden{{Name: "type", Value: kind}}, Fields: v.codeOf(account, kind+"-code"),
	}
	if is := account.in("apiKeys").in(kind); is != nil {
		f.Text = v.t("keys.is", is.text("prefix"), v.moment(is.text("createdAt")))
	}
	return f
}

// makeKey creates a key for an application.
func (v *visit) makeKey() error {
	content := v.withCode(body{"label": v.form("label"), "mode": v.form("mode"), "permissions": v.typedPermissions()})
	return v.newKey("/api/account/application-keys", content, "key")
}

// regenerateKey replaces a key of the account.
func (v *visit) regenerateKey() error {
	return v.newKey("/api/account/keys/regenerate", v.withCode(body{"type": v.form("type")}), "apiKey")
}

// newKey makes a key and shows it. It is the only page that shows it. The API's answer has it under
// a name.
func (v *visit) newKey(path string, content body, name string) error {
	made := v.made(path, content)
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Text: v.t("keys.once"), Copy: made.text(name)}, {Buttons: []link{{Href: "/keys", Text: v.t("welcome.go_on")}}},
	}}, v.t("keys.key"))
}
