package desk

import "net/http"

// wallet says which wallet customers pay, and has the forms that change it; nothing for a person
// who may not, and in the sandbox, whose charges pay no wallet of the shop.
func (v *visit) wallet(m answer) []part {
	if !v.may("setWallet") || v.sandbox() {
		return nil
	}
	is := v.read("/api/account/wallet")
	p := part{Title: v.t("wallet"), Text: v.t("wallet.custody_" + is.text("custody"))}
	if address := is.text("primary_address"); address != "" {
		p.Facts = append(p.Facts, named(v.t("wallet.address"), plain(address)), named(v.t("wallet.account"), plain(is.text("account"))))
		if left := is.text("accounts_left"); len(left) == 1 { // below 10
			p.Facts = append(p.Facts, named(v.t("wallet.near_end"), cell{Text: v.t("wallet.near_end_text", left), Warn: true}))
		}
	}
	if owed := is.number("fee_owed_xmr"); trimmed(owed) != "0" {
		p.Facts = append(p.Facts, named(v.t("wallet.fee_owed"), plain(xmr(owed))))
	}
	if at := is.text("changes_at"); at != "" {
		p.Facts = append(p.Facts, named(v.t("wallet.waits"), plain(v.t("wallet.waits_text", v.moment(at)))))
	}
	address := exact(hinted(needed(v.text("primary_address", "wallet.address", 106)), v.t("wallet.address_hint")))
	key := hinted(v.secretField("private_view_key", "wallet.view_key", "off"), v.t("wallet.view_key_hint"))
	account := hinted(v.text("account", "wallet.account", 4), v.t("wallet.account_hint"))
	p.Forms = []form{{Action: "/settings/wallet", Text: v.t("wallet.text"), Button: v.t("save"), Lesser: true, Fields: append([]field{address, key, account}, v.codeOf(m, "wallet-code")...)}}
	if is.text("custody") == "own" {
		p.Forms = append(p.Forms, form{
			Action: "/settings/wallet/hosted", Button: v.t("wallet.to_hosted"), Lesser: true, Fields: v.codeOf(m, "hosted-code"),
		})
	}
	return []part{p}
}

// setWallet sends the keys of the shop's own wallet.
func (v *visit) setWallet() error {
	content := v.withCode(body{"primary_address": v.form("primary_address"), "private_view_key": v.form("private_view_key")})
	if account := v.form("account"); account != "" {
		content["account"] = amount(account)
	}
	return v.chooseWallet(content)
}

// setHosted makes new charges pay the service's wallet.
func (v *visit) setHosted() error { return v.chooseWallet(v.withCode(body{"custody": "hosted"})) }

func (v *visit) chooseWallet(content body) error {
	if err := v.call(http.MethodPut, "/api/account/wallet", content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/settings")
}
