package desk

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
)

// shopAnswer is the API's representation of a shop that a person works in.
type shopAnswer struct {
	ID          string `json:"merchant_id"`
	Name        string `json:"businessName"`
	Role        string `json:"role"`
	RefundsADay number `json:"refunds_a_day_xmr"`
}

// worksIn returns the other merchants' shops that the person works in.
func (v *visit) worksIn() ([]shopAnswer, error) {
	var answer struct {
		Shops []shopAnswer `json:"shops"`
	}
	err := v.own(http.MethodGet, "/api/account/shops", nil, &answer)
	return answer.Shops, err
}

// shops lets a person choose the shop to work in.
func (v *visit) shops() error {
	all, err := v.worksIn()
	if err != nil {
		return err
	}
	m, err := v.me()
	if err != nil {
		return err
	}
	t := &sheetTable{Label: v.t("shops"), Columns: []string{v.t("shops.shop"), v.t("staff.role"), v.t("shops.work"), v.t("shops.leave")}}
	choose := func(id string) cell {
		if id == v.session.Shop {
			return cell{Text: v.t("shops.now"), Good: true}
		}
		return cell{Form: &form{Action: "/shops", Button: v.t("shops.work"), Small: true, Hidden: []sheet.Hidden{{Name: "shop", Value: id}}}}
	}
	t.Rows = append(t.Rows, []cell{plain(m.BusinessName), plain(v.t("shops.own")), choose(""), {}})
	for _, s := range all {
		t.Rows = append(t.Rows, []cell{
			plain(s.Name), plain(v.t("staff.role_" + s.Role)), choose(s.ID),
			{Form: &form{Action: "/shops/" + s.ID + "/leave", Sure: v.t("shops.leave"), Button: v.t("sure"), Small: true}},
		})
	}
	return v.show(&page{Text: v.t("shops.text"), Parts: []part{{Links: v.settingsLinks(), Table: t}}}, v.t("shops"))
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
		if id != "" && s.ID == id {
			v.session.Shop, v.session.ShopName = s.ID, s.Name
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
	var s shopAnswer
	token := chi.URLParam(v.r, "token")
	err := v.own(http.MethodPost, "/api/account/shops/invitation", body{"token": token}, &s)
	if refused, is := errors.AsType[*web.Error](err); is && refused.Status == http.StatusNotFound {
		v.say(http.StatusNotFound, v.t("join"), v.t("join.gone"))
		return nil
	}
	if err != nil {
		return err
	}
	m, err := v.me()
	if err != nil {
		return err
	}
	return v.show(&page{Narrow: true, Parts: []part{{
		Text:  v.t("join.text", m.Email),
		Facts: []fact{named(v.t("shops.shop"), plain(s.Name)), named(v.t("staff.role"), plain(v.t("staff.role_"+s.Role)))},
		Forms: []form{{Action: "/join/" + url.PathEscape(token), Text: v.t("staff.may_" + s.Role), Button: v.t("join")}},
	}}}, v.t("join"))
}

// join accepts the invite and switches to the shop.
func (v *visit) join() error {
	var s shopAnswer
	if err := v.own(http.MethodPost, "/api/account/shops", body{"token": chi.URLParam(v.r, "token")}, &s); err != nil {
		return err
	}
	v.session.Shop, v.session.ShopName, v.session.Mode = s.ID, s.Name, config.Live
	v.keepSession()
	return v.redirect("/")
}
