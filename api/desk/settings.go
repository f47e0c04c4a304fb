package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/permission"
)

// settingsLinks lead to the pages of the account.
func (v *visit) settingsLinks() []link {
	all := []link{
		{Href: "/settings", Text: v.t("settings.shop")}, {Href: "/settings/account", Text: v.t("settings.account")},
		{Href: "/settings/two-factor", Text: v.t("two_factor")}, {Href: "/settings/notices", Text: v.t("notices")},
		{Href: "/webhooks", Text: v.t("webhooks")}, {Href: "/keys", Text: v.t("keys.title")}, {Href: "/staff", Text: v.t("staff")},
		{Href: "/actions", Text: v.t("actions")}, {Href: "/shops", Text: v.t("shops")},
	}
	for i := range all {
		all[i].Current = all[i].Href == v.r.URL.Path
	}
	return all
}

// settings has the forms for the shop's name, its payout address and the approval of refunds.
func (v *visit) settings() error {
	m := v.me()
	business, contact := needed(v.text("business_name", "business", 200)), v.text("contact", "settings.contact", 500)
	business.Value, contact.Value = v.filled("business_name", m.text("businessName")), v.filled("contact", m.text("contact"))
	contact.Type, contact.Hint = "area", v.t("settings.contact_hint")
	names := field{Name: "names_in_links", Label: v.t("settings.names_in_links"), Type: "checkbox", Checked: v.chosen("names_in_links", "on", m.is("namesInLinks"))}
	receipts := field{Name: "mails_receipts", Label: v.t("settings.mails_receipts"), Type: "checkbox", Checked: v.chosen("mails_receipts", "on", m.is("mailsReceipts"))}
	address := exact(hinted(needed(v.text("address", "payout_address", 106)), v.t("settings.address_hint")))
	is := v.t("settings.address_none")
	if masked := m.text("payoutAddress"); masked != "" {
		is = v.t("settings.address_is", masked)
	}
	auto := hinted(v.decimal("auto_up_to", "settings.auto_refund"), v.t("settings.auto_refund_hint"))
	auto.Value = v.filled("auto_up_to", trimmed(m.number("refundAutoUpToXmr")))
	return v.show(&page{Parts: []part{
		{Links: v.settingsLinks(), Facts: []fact{named(v.t("settings.id"), code(m.text("merchant_id")))}},
		{Forms: []form{{Action: "/settings/payout", Title: v.t("payout_address"), Text: is, Button: v.t("save"), Fields: append([]field{address}, v.codeOf(m, "address-code")...)}}},
		{Forms: []form{{Action: "/settings/profile", Title: v.t("settings.profile"), Button: v.t("save"), Lesser: true, Fields: []field{business, contact, names, receipts}}}},
		{Forms: []form{{
			Action: "/settings/refunds", Title: v.t("nav.refunds"), Text: v.t("settings.refunds_text"), Button: v.t("save"), Lesser: true,
			Fields: append([]field{auto}, v.codeOf(m, "refunds-code")...),
		}}},
	}}, v.t("nav.settings"))
}

// typedProfile returns the shop's name and contact, and what its buyers get.
func (v *visit) typedProfile() body {
	return body{
		"businessName": v.form("business_name"), "contact": v.form("contact"),
		"namesInLinks": v.form("names_in_links") != "", "mailsReceipts": v.form("mails_receipts") != "",
	}
}

func (v *visit) typedAddress() body { return v.withCode(body{"address": v.form("address")}) }

// typedApproval returns up to which amount refunds need no approval.
func (v *visit) typedApproval() body {
	return v.withCode(body{"auto_up_to_xmr": amount(v.form("auto_up_to"))})
}

// noticeKinds returns the kinds of mails that a merchant can choose.
func noticeKinds() []string {
	return []string{"charge_paid", "underpaid", "late", "failed_delivery", "payout_sent", "new_login"}
}

// notices shows which mails the merchant receives, in a form that changes them.
func (v *visit) notices() error {
	is := v.read("/api/account/notices")
	f := form{Action: "/settings/notices", Button: v.t("save")}
	for _, kind := range noticeKinds() {
		f.Fields = append(f.Fields, v.choice(kind, "notices."+kind, "notices.how_", is.text(kind), "off", "at_once", "daily"))
	}
	p := &page{Text: v.t("notices.text"), Parts: []part{{Links: v.settingsLinks()}, {Forms: []form{f}}}}
	if is.text("mails") == "false" {
		p.Text = v.t("notices.none")
	}
	return v.show(p, v.t("notices"))
}

func (v *visit) typedNotices() body {
	content := body{}
	for _, kind := range noticeKinds() {
		content.with(kind, v.form(kind))
	}
	return content
}

// keys lists the keys of the account and of applications, and has the forms to create and
// replace them.
func (v *visit) keys() error {
	m := v.me()
	all := v.list("/api/account/application-keys", "keys")
	t := table(v, "keys.applications", "keys.none", all, columns{
		{"keys.label", says("label")}, {"keys.key", func(k answer) cell { return code(k.text("prefix") + "…") }},
		{"keys.may", v.permissions}, {"keys.used", v.when("last_used_at")}, {"keys.revoke", v.removes("/keys/{id}/revoke", "id", "keys.revoke")},
	})
	may := field{Name: "permissions", Label: v.t("keys.may"), Type: "checkbox"}
	for _, p := range permission.Grantable() {
		may.Options = append(may.Options, kit.Option{Value: string(p), Text: v.t(pages.PermissionText(p)), Chosen: v.chosen("permissions", string(p), false)})
	}
	add := form{Action: "/keys", Title: v.t("keys.new"), Text: v.t("keys.new_text"), Button: v.t("keys.make"), Fields: append([]field{
		needed(v.text("label", "keys.label", 100)), v.choice("mode", "keys.mode", "keys.mode_", string(v.session.Mode), "live", "sandbox"), may,
	}, v.codeOf(m, "key-code")...)}
	own := []form{v.ownKeyForm(m, "sandbox"), v.ownKeyForm(m, "production")}
	return v.show(&page{Parts: []part{{Links: v.settingsLinks()}, {Title: v.t("keys.applications"), Text: v.t("keys.webhooks"), Table: t}, {Forms: []form{add}}, {Forms: own}}}, v.t("keys.title"))
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
		Action: "/keys/regenerate", Title: v.t("keys." + kind), Text: v.t("keys.replace_text"), Button: v.t("keys.replace"), Lesser: true,
		Hidden: []kit.Hidden{{Name: "type", Value: kind}}, Fields: v.codeOf(account, kind+"-code"),
	}
	if is := account.in("apiKeys").in(kind); is != nil {
		f.Text = v.t("keys.is", is.text("prefix"), v.moment(is.text("createdAt"))) + " " + f.Text
	}
	return f
}

// makeKey creates a key for an application.
func (v *visit) makeKey() error {
	content := v.withCode(body{"label": v.form("label"), "mode": v.form("mode"), "permissions": slices.Concat([]string{}, v.r.PostForm["permissions"])})
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
		{Text: v.t("keys.once"), Copy: made.text(name)}, {Buttons: []link{{Href: "/keys", Text: v.t("keys.title")}}},
	}}, v.t("keys.key"))
}
