package desk

import (
	"encoding/base64"
	"html/template"
	"strconv"
	"strings"
)

// twoFactor shows whether a login needs a code, with the forms that switch that on or off.
func (v *visit) twoFactor() error {
	var is struct {
		Enabled bool `json:"enabled"`
		Left    int  `json:"backupCodesLeft"`
	}
	if err := v.get("/api/auth/2fa/status", &is); err != nil {
		return err
	}
	code := needed(v.text("code", "two_factor.code", 40))
	code.Autocomplete, code.Exact = "one-time-code", true
	first := part{Links: v.settingsLinks()}
	if !is.Enabled {
		first.Forms = []form{{Action: "/settings/two-factor/setup", Text: v.t("two_factor.off"), Button: v.t("two_factor.set_up")}}
		if v.problem != "" && v.r.PostForm.Has("code") {
			first.Forms[0].Lesser = true // setting up again would create another secret
			first.Forms = append([]form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}, first.Forms...)
		}
		return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
	}
	first.Facts = []fact{named(v.t("two_factor.left"), plain(strconv.Itoa(is.Left)))}
	first.Forms = []form{{Action: "/settings/two-factor/disable", Text: v.t("two_factor.on"), Button: v.t("two_factor.disable"), Lesser: true, Fields: []field{code}}}
	return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
}

// setupTwoFactor shows the secret and the backup codes. It is the only page that shows them.
func (v *visit) setupTwoFactor() error {
	var made struct {
		Secret string   `json:"secret"`
		QRCode string   `json:"qrCode"`
		Backup []string `json:"backupCodes"`
	}
	if err := v.post("/api/auth/2fa/setup", nil, &made); err != nil {
		return err
	}
	code := needed(v.text("code", "two_factor.code", 6))
	code.Autocomplete, code.Digits = "one-time-code", true
	p := &page{Narrow: true, Text: v.t("two_factor.scan"), Parts: []part{
		{Image: &sheetImage{Inline: inlineImage(made.QRCode), Alt: v.t("two_factor.qr"), Width: 256, Height: 256}, Copy: made.Secret},
		{Title: v.t("two_factor.backup"), Text: v.t("two_factor.backup_text"), Plain: strings.Join(made.Backup, "\n")},
		{Forms: []form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}},
	}}
	v.inline = true
	return v.show(p, v.t("two_factor.set_up"))
}

// verifyTwoFactor switches two-factor login on.
func (v *visit) verifyTwoFactor() error {
	if err := v.post("/api/auth/2fa/verify", body{"code": v.form("code")}, &struct{}{}); err != nil {
		return err
	}
	return v.done("/settings/two-factor")
}

// disableTwoFactor switches two-factor login off.
func (v *visit) disableTwoFactor() error {
	if err := v.post("/api/auth/2fa/disable", body{"code": v.form("code")}, &struct{}{}); err != nil {
		return err
	}
	return v.done("/settings/two-factor")
}

// inlineImage returns a PNG image of the API as an address that a page may contain. It returns
// an empty address for any other data.
func inlineImage(address string) template.URL {
	encoded, ok := strings.CutPrefix(address, "data:image/png;base64,")
	if _, err := base64.StdEncoding.DecodeString(encoded); !ok || err != nil {
		return ""
	}
	return template.URL("data:image/png;base64," + encoded) //nolint:gosec // base64 has no sign that ends an attribute
}
