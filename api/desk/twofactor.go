package desk

import (
	"encoding/base64"
	"html/template"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/secret"
)

// setupField is the hidden field that holds the offer of a second factor until a code of it was right.
const setupField = "setup"

// twoFactorOffer is what the API offers for a second factor. The page of the set-up holds it, sealed
// for the account, so a wrong code loses nothing.
type twoFactorOffer struct {
	Secret      string   `json:"secret"`
	QRCode      string   `json:"qrCode"`
	BackupCodes []string `json:"backupCodes"`
}

// twoFactor shows whether a login needs a code, with the forms that switch that on or off. After a
// wrong code of the set-up it shows the set-up again.
func (v *visit) twoFactor() error {
	is := v.read("/api/auth/2fa/status")
	if offer, held := v.heldOffer(); held && !is.is("enabled") {
		return v.showSetup(offer)
	}
	code := needed(v.text("code", "two_factor.code", 40))
	code.Autocomplete, code.Exact = "one-time-code", true
	var first part
	if !is.is("enabled") {
		first.Forms = []form{{Action: "/settings/two-factor/setup", Text: v.t("two_factor.off"), Button: v.t("two_factor.set_up")}}
		return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
	}
	first.Facts = []fact{named(v.t("two_factor.left"), plain(is.text("backupCodesLeft")))}
	first.Forms = []form{{Action: "/settings/two-factor/disable", Text: v.t("two_factor.on"), Button: v.t("two_factor.disable"), Lesser: true, Fields: []field{code}}}
	return v.show(&page{Parts: []part{first}}, v.t("two_factor"))
}

// setupTwoFactor begins to set up a second factor.
func (v *visit) setupTwoFactor() error {
	var offer twoFactorOffer
	if err := v.post("/api/auth/2fa/setup", nil, &offer); err != nil {
		return err
	}
	return v.showSetup(offer)
}

// showSetup shows the secret of the offer, and asks for a code of it.
func (v *visit) showSetup(offer twoFactorOffer) error {
	code := needed(v.text("code", "two_factor.code", 6))
	code.Autocomplete, code.Digits, code.Value = "one-time-code", true, ""
	p := &page{Narrow: true, Text: v.t("two_factor.scan"), Parts: []part{
		{Image: &kit.Image{Inline: inlineImage(offer.QRCode), Alt: v.t("two_factor.qr"), Width: 256, Height: 256}, Copy: offer.Secret},
		{Forms: []form{{
			Action: "/settings/two-factor/verify", Button: v.t("two_factor.enable"), Fields: []field{code},
			Hidden: []kit.Hidden{{Name: setupField, Value: secret.SealText(v.Key, v.setupPlace(), offer)}},
		}}},
	}}
	v.inline = true
	return v.show(p, v.t("two_factor"))
}

// heldOffer returns the offer that the form of the set-up holds.
func (v *visit) heldOffer() (offer twoFactorOffer, held bool) {
	held = v.r.PostForm.Has(setupField) && secret.UnsealText(v.Key, v.setupPlace(), v.r.PostForm.Get(setupField), &offer)
	return offer, held
}

func (v *visit) setupPlace() string { return "two-factor:" + v.session.of.MerchantID }

// verifyTwoFactor switches the second factor on and shows the backup codes. It is the only page
// that shows them.
func (v *visit) verifyTwoFactor() error {
	if err := v.post("/api/auth/2fa/verify", v.typedTwoFactor(), &struct{}{}); err != nil {
		return err
	}
	offer, held := v.heldOffer()
	if !held {
		return v.done("/settings/two-factor")
	}
	return v.show(&page{Narrow: true, Notice: v.t("two_factor.is_on"), Parts: []part{
		{Title: v.t("two_factor.backup"), Text: v.t("two_factor.backup_text"), Plain: strings.Join(offer.BackupCodes, "\n")},
		{Buttons: []link{{Href: "/settings/two-factor", Text: v.t("two_factor.saved")}}},
	}}, v.t("two_factor"))
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
