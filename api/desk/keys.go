package desk

import (
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/internal/permission"
)

// keys lists the keys of the account and of applications, and has the forms to create and
// replace them.
func (v *visit) keys() error {
	m, err := v.me()
	if err != nil {
		return err
	}
	var answer struct {
		Keys []struct {
			ID          string   `json:"id"`
			Label       string   `json:"label"`
			Mode        string   `json:"mode"`
			Permissions []string `json:"permissions"`
			Prefix      string   `json:"prefix"`
			LastUsedAt  *string  `json:"last_used_at"`
		} `json:"keys"`
	}
	if err := v.get("/api/account/application-keys", &answer); err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("keys.applications"), Empty: v.t("keys.none"),
		Columns: []string{v.t("keys.label"), v.t("keys.key"), v.t("keys.may"), v.t("keys.used"), v.t("keys.revoke")},
	}
	for _, k := range answer.Keys {
		t.Rows = append(t.Rows, []cell{
			plain(k.Label), code(k.Prefix + "…"), plain(v.permissions(k.Permissions)), plain(v.moment(k.LastUsedAt)),
			{Form: &form{Action: "/keys/" + k.ID + "/revoke", Sure: v.t("keys.revoke"), Button: v.t("sure"), Small: true}},
		})
	}
	may := field{Name: "permissions", Label: v.t("keys.may"), Type: "checkbox"}
	for _, p := range permission.Grantable() {
		may.Options = append(may.Options, sheet.Option{Value: string(p), Text: v.t(pages.PermissionText(p)), Chosen: v.chosen("permissions", string(p), false)})
	}
	add := form{Action: "/keys", Title: v.t("keys.new"), Text: v.t("keys.new_text"), Button: v.t("keys.make"), Fields: append([]field{
		needed(v.text("label", "keys.label", 100)), v.choice("mode", "keys.mode", "keys.mode_", string(v.session.Mode), "live", "sandbox"), may,
	}, v.codeOf(m, "key-code")...)}
	own := []form{v.ownKeyForm(m, "sandbox", m.APIKeys.Sandbox), v.ownKeyForm(m, "production", m.APIKeys.Production)}
	return v.show(&page{Parts: []part{{Links: v.settingsLinks()}, {Title: v.t("keys.applications"), Table: t}, {Forms: []form{add}}, {Forms: own}}}, v.t("keys.title"))
}

// permissions returns the permissions of a key in words.
func (v *visit) permissions(names []string) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = v.t(pages.PermissionText(permission.Permission(name)))
	}
	return strings.Join(texts, "; ")
}

// codeOf returns the field for a two-factor code if the account requires one.
func (v *visit) codeOf(m me, id string) []field {
	if !m.TwoFactor {
		return nil
	}
	return v.factor(id)
}

// ownKeyForm returns the form that replaces a key of the account.
func (v *visit) ownKeyForm(m me, kind string, is *ownKey) form {
	f := form{
		Action: "/keys/regenerate", Title: v.t("keys." + kind), Text: v.t("keys.replace_text"), Button: v.t("keys.replace"), Lesser: true,
		Hidden: []sheet.Hidden{{Name: "type", Value: kind}}, Fields: v.codeOf(m, kind+"-code"),
	}
	if is != nil {
		f.Text = v.t("keys.is", is.Prefix, v.moment(&is.CreatedAt)) + " " + f.Text
	}
	return f
}

// showKey shows a new key. It is the only page that shows it.
func (v *visit) showKey(key string) error {
	return v.show(&page{Narrow: true, Notice: v.t("done"), Parts: []part{
		{Text: v.t("keys.once"), Copy: key}, {Buttons: []link{{Href: "/keys", Text: v.t("keys.title")}}},
	}}, v.t("keys.key"))
}

func (v *visit) makeKey() error {
	var made struct {
		Key string `json:"key"`
	}
	content := v.withCode(body{"label": v.form("label"), "mode": v.form("mode"), "permissions": slices.Concat([]string{}, v.r.PostForm["permissions"])})
	if err := v.post("/api/account/application-keys", content, &made); err != nil {
		return err
	}
	return v.showKey(made.Key)
}

func (v *visit) revokeKey() error {
	if err := v.post("/api/account/application-keys/"+v.id()+"/revoke", nil, &struct{}{}); err != nil {
		return err
	}
	return v.done("/keys")
}

// regenerateKey replaces a key of the account.
func (v *visit) regenerateKey() error {
	var made struct {
		Key string `json:"apiKey"`
	}
	if err := v.post("/api/account/keys/regenerate", v.withCode(body{"type": v.form("type")}), &made); err != nil {
		return err
	}
	return v.showKey(made.Key)
}
