package desk

import "encoding/json"

// noticeKinds returns the kinds of mails that a merchant can choose.
func noticeKinds() []string {
	return []string{"charge_paid", "underpaid", "late", "failed_delivery", "payout_sent", "new_login"}
}

// notices shows which mails the merchant receives, in a form that changes them.
func (v *visit) notices() error {
	var is map[string]json.RawMessage
	if err := v.get("/api/account/notices", &is); err != nil {
		return err
	}
	f := form{Action: "/settings/notices", Button: v.t("save")}
	for _, kind := range noticeKinds() {
		f.Fields = append(f.Fields, v.choice(kind, "notices."+kind, "notices.how_", shown(is[kind]), "off", "at_once", "daily"))
	}
	p := &page{Text: v.t("notices.text"), Parts: []part{{Links: v.settingsLinks()}, {Forms: []form{f}}}}
	if string(is["mails"]) == "false" {
		p.Text = v.t("notices.none")
	}
	return v.show(p, v.t("notices"))
}

// setNotices changes them.
func (v *visit) setNotices() error {
	content := body{}
	for _, kind := range noticeKinds() {
		content.with(kind, v.form(kind))
	}
	if err := v.post("/api/account/notices", content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/settings/notices")
}
