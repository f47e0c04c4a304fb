package desk

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
)

// worksIn returns the other merchants' shops that the person works in.
func (v *visit) worksIn() ([]answer, error) {
	var a answer
	err := v.own(http.MethodGet, "/api/account/shops", nil, &a)
	return a.list("shops"), err
}

// shops lets a person choose the shop to work in.
func (v *visit) shops() error {
	all, err := v.worksIn()
	if err != nil {
		return err
	}
	m := v.me()
	t := table(v, "shops", "", all, columns{
		{"shops.shop", func(s answer) cell { return plain(s.text("businessName")) }}, {"staff.role", v.byValue("staff.role_", "role")},
		{"shops.work", func(s answer) cell { return v.chooses(s.text("merchant_id")) }},
		{"shops.leave", v.removes("/shops/{id}/leave", "merchant_id", "shops.leave")},
	})
	t.Rows = append([][]cell{{plain(m.text("businessName")), plain(v.t("shops.own")), v.chooses(""), {}}}, t.Rows...)
	return v.show(&page{Text: v.t("shops.text"), Parts: []part{{Links: v.settingsLinks(), Table: t}}}, v.t("shops"))
}

// chooses returns a cell with a button that switches to a shop.
func (v *visit) chooses(id string) cell {
	if id == v.session.Shop {
		return cell{Text: v.t("shops.now"), Good: true}
	}
	return cell{Form: &form{Action: "/shops", Button: v.t("shops.work"), Small: true, Hidden: []kit.Hidden{{Name: "shop", Value: id}}}}
}

// chooseShop switches to a shop that the person works in, or to their own.
func (v *visit) chooseShop() error {
	id := v.form("shop")
	all, err := v.worksIn()
	if err != nil {
		return err
	}
	v.session.Shop, v.session.ShopName = "", ""
	for _, s := range all {
		if id != "" && s.text("merchant_id") == id {
			v.session.Shop, v.session.ShopName = id, s.text("businessName")
		}
	}
	if v.session.Shop != id {
		return v.refusal(http.StatusForbidden, "shops.not_yours")
	}
	v.session.Mode = config.Live
	v.keepSession()
	return v.redirect("/")
}

// leaveShop ends the person's work in a shop.
func (v *visit) leaveShop() error {
	if err := v.own(http.MethodPost, "/api/account/shops/"+v.id()+"/leave", nil, &struct{}{}); err != nil {
		return err
	}
	if v.session.Shop == v.id() {
		v.session.Shop, v.session.ShopName = "", ""
		v.keepSession()
	}
	return v.done("/shops")
}

// showJoin asks the person to confirm that they join the shop of an invite.
func (v *visit) showJoin() error {
	var s answer
	token := chi.URLParam(v.r, "token")
	err := v.own(http.MethodPost, "/api/account/shops/invitation", body{"token": token}, &s)
	if refused, is := errors.AsType[*web.Error](err); is && refused.Status == http.StatusNotFound {
		v.say(http.StatusNotFound, v.t("join"), v.t("join.gone"))
		return nil
	}
	if err != nil {
		return err
	}
	m := v.me()
	return v.show(&page{Narrow: true, Parts: []part{{
		Text:  v.t("join.text", m.text("email")),
		Facts: []fact{v.fact("shops.shop", s.text("businessName")), v.fact("staff.role", v.t("staff.role_"+s.text("role")))},
		Forms: []form{{Action: "/join/" + url.PathEscape(token), Text: v.t("staff.may_" + s.text("role")), Button: v.t("join")}},
	}}}, v.t("join"))
}

// join accepts the invite and switches to the shop.
func (v *visit) join() error {
	var s answer
	if err := v.own(http.MethodPost, "/api/account/shops", body{"token": chi.URLParam(v.r, "token")}, &s); err != nil {
		return err
	}
	v.session.Shop, v.session.ShopName, v.session.Mode = s.text("merchant_id"), s.text("businessName"), config.Live
	v.keepSession()
	return v.redirect("/")
}
