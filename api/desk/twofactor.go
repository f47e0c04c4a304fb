package desk

import (
	"encoding/base64"
	"html/template"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
)

// twoFactor shows whether a login needs a code, with the forms that switch that on or off.
func (v *visit) twoFactor() error {
	is := v.read("/api/auth/2fa/status")
	code := needed(v.text("code", "two_factor.code", 40))
	code.Autocomplete, code.Exact = "one-time-code", true
	first := part{Links: v.settingsLinks()}
	if !is.is("enabled") {
		first.Forms = []form{{Action: "/settings/two-factor/setup", Text: v.t("two_factor.off"), Button: v.t("two_factor.set_up")}}
		if v.problem != "" && v.r.PostForm.Has("code") {
			first.Forms[0].Lesser = true // setting up again would create another secret
			first.Forms = append([]form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}, first.Forms...)
		}
		return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
	}
	first.Facts = []fact{named(v.t("two_factor.left"), plain(is.text("backupCodesLeft")))}
	first.Forms = []form{{Action: "/settings/two-factor/disable", Text: v.t("two_factor.on"), Button: v.t("two_factor.disable"), Lesser: true, Fields: []field{code}}}
	return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
}

// setupTwoFactor shows the secret and the backup codes. It is the only page that shows them.
func (v *visit) setupTwoFactor() error {
	var made answer
	if err := v.post("/api/auth/2fa/setup", nil, &made); err != nil {
		return err
	}
	code := needed(v.text("code", "two_factor.code", 6))
	code.Autocomplete, code.Digits = "one-time-code", true
	p := &page{Narrow: true, Text: v.t("two_factor.scan"), Parts: []part{
		{Image: &kit.Image{Inline: inlineImage(made.text("qrCode")), Alt: v.t("two_factor.qr"), Width: 256, Height: 256}, Copy: made.text("secret")},
		{Title: v.t("two_factor.backup"), Text: v.t("two_factor.backup_text"), Plain: strings.Join(made.names("backupCodes"), "\n")},
		{Forms: []form{{Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code}}}},
	}}
	v.inline = true
	return v.show(p, v.t("two_factor.set_up"))
}

func (v *visit) typedTwoFactor() body { return body{"code": v.form("code")} }

// inlineImage returns a PNG image of the API as an address that a page may contain. It returns
// an empty address for any other data.
func inlineImage(address string) template.URL {
	encoded, ok := strings.CutPrefix(address, "data:image/png;base64,")
	if _, err := base64.StdEncoding.DecodeString(encoded); !ok || err != nil {
		return ""
	}
	return template.URL("data:image/png;base64," + encoded) //nolint:gosec // base64 has no sign that ends an attribute
}
