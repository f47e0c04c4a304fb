package desk

import "slices"

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
	zone := v.choice("time_zone", "settings.time_zone", "", m.text("timeZone"), timeZones(m.text("timeZone"))...)
	currency := v.choice("default_currency", "settings.currency", "", m.text("defaultCurrency"), currencies()...)
	contact.Type, contact.Hint = "area", v.t("settings.contact_hint")
	names := field{Name: "names_in_links", Label: v.t("settings.names_in_links"), Type: "checkbox", Checked: v.chosen("/settings/profile", "names_in_links", "on", m.is("namesInLinks"))}
	receipts := field{Name: "mails_receipts", Label: v.t("settings.mails_receipts"), Type: "checkbox", Checked: v.chosen("/settings/profile", "mails_receipts", "on", m.is("mailsReceipts"))}
	address := exact(hinted(needed(v.text("address", "payout_address", 106)), v.t("settings.address_hint")))
	is := v.t("settings.address_none")
	if masked := m.text("payoutAddress"); masked != "" {
		is = v.t("settings.address_is", masked)
	}
	auto := hinted(v.decimal("auto_up_to", "settings.auto_refund"), v.t("settings.auto_refund_hint"))
	auto.Value = v.filled("auto_up_to", trimmed(m.number("refundAutoUpToXmr")))
	return v.show(&page{Parts: append([]part{
		{Forms: []form{{Action: "/settings/payout", Title: v.t("payout_address"), Text: is, Button: v.t("save"), Fields: append([]field{address}, v.codeOf(m, "address-code")...)}}},
		{Forms: []form{{Action: "/settings/profile", Title: v.t("settings.profile"), Button: v.t("save"), Lesser: true, Fields: []field{business, contact, zone, hinted(currency, v.t("settings.currency_hint")), names, receipts}}}},
		{Forms: []form{{
			Action: "/settings/refunds", Title: v.t("nav.refunds"), Text: v.t("settings.refunds_text"), Button: v.t("save"), Lesser: true,
			Fields: append([]field{auto}, v.codeOf(m, "refunds-code")...),
		}}},
		{Facts: []fact{named(v.t("settings.id"), code(m.text("merchant_id")))}},
	}, v.wallet(m)...)}, v.t("nav.settings"))
}

// typedProfile returns the shop's name and contact, and what its buyers get.
func (v *visit) typedProfile() body {
	return body{
		"businessName": v.form("business_name"), "contact": v.form("contact"),
		"namesInLinks": v.form("names_in_links") != "", "mailsReceipts": v.form("mails_receipts") != "",
	}.with("timeZone", v.form("time_zone")).with("defaultCurrency", v.form("default_currency"))
}

// timeZones returns the time zones to choose from: one or several for each offset, and the current one.
func timeZones(is string) []string {
	all := []string{
		"UTC", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Chicago", "America/Mexico_City", "America/New_York",
		"America/Bogota", "America/Caracas", "America/Santiago", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "Atlantic/Azores", "Europe/London",
		"Europe/Lisbon", "Africa/Casablanca", "Africa/Lagos", "Europe/Berlin", "Europe/Madrid", "Europe/Paris", "Europe/Rome", "Europe/Vienna", "Europe/Warsaw",
		"Europe/Zurich", "Africa/Johannesburg", "Africa/Cairo", "Europe/Athens", "Europe/Helsinki", "Europe/Kyiv", "Asia/Jerusalem", "Europe/Istanbul",
		"Europe/Moscow", "Africa/Nairobi", "Asia/Riyadh", "Asia/Tehran", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok",
		"Asia/Jakarta", "Asia/Shanghai", "Asia/Singapore", "Asia/Taipei", "Australia/Perth", "Asia/Tokyo", "Asia/Seoul", "Australia/Sydney", "Pacific/Auckland",
	}
	if is != "" && !slices.Contains(all, is) {
		all = append(all, is)
	}
	return all
}

func (v *visit) typedAddress() body { return v.withCode(body{"address": v.form("address")}) }

// typedApproval returns up to which amount refunds need no approval.
func (v *visit) typedApproval() body {
	return v.withCode(body{"auto_up_to_xmr": amount(v.form("auto_up_to"))})
}

// noticeKinds returns the kinds of mails that a merchant can choose.
func noticeKinds() []string {
	return []string{"charge_paid", "underpaid", "late", "failed_delivery", "payout_sent", "refund_dropped", "new_login"}
}

// notices shows which mails the merchant receives, in a form that changes them.
func (v *visit) notices() error {
	is := v.read("/api/account/notices")
	f := form{Action: "/settings/notices", Button: v.t("save")}
	for _, kind := range noticeKinds() {
		f.Fields = append(f.Fields, v.choice(kind, "notices."+kind, "notices.how_", is.text(kind), "off", "at_once", "daily"))
	}
	p := &page{Text: v.t("notices.text"), Parts: []part{{Forms: []form{f}}}}
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
