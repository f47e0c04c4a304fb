package desk

import (
	"strconv"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
)

// Service is what the desk says about who runs the service. Its fields may be empty.
type Service struct {
	// Operator and Contact are the operator's name, and how to reach them.
	Operator, Contact string
	// FeeRate is the operator's share of a payout if neither the merchant nor a volume tier has a
	// rate: 0.005 is half a percent.
	FeeRate money.Decimal
}

// setup lists the steps of a new shop with what does them, until all are done.
func (v *visit) setup() []part {
	if !v.may("getSetup") {
		return nil
	}
	is := v.read("/api/account/setup")
	if is.is("complete") {
		return nil
	}
	start := func(path string) cell { return cell{Text: v.t("setup.start"), Href: path} }
	steps := []struct {
		name string
		todo cell
	}{
		{"test_payment", v.startIn(config.Sandbox, "/ask")},
		{"payout_address", v.startIn(config.Live, "/settings")},
		{"two_factor", start("/settings/two-factor")},
		{"shop_connected", cell{Links: []link{
			{Href: "/docs/connect-a-shop#woocommerce", Text: "WooCommerce"}, {Href: "/docs/connect-a-shop#prestashop", Text: "PrestaShop"},
			{Href: "/docs/connect-a-shop#magento", Text: "Magento"}, {Href: "/webhooks", Text: v.t("webhook")},
		}}},
		{"reports", start("/reports")},
		{"live_payment", v.startIn(config.Live, "/ask")},
	}
	p, done := part{Title: v.t("setup")}, 0
	for i, step := range steps {
		value := step.todo
		if is.is(step.name) {
			value = cell{Text: v.t("setup.done"), Good: true}
			done++
		}
		p.Facts = append(p.Facts, named(strconv.Itoa(i+1)+". "+v.t("setup."+step.name), value))
	}
	p.Text = v.t("setup.text", done, len(steps))
	return []part{p}
}

// startIn leads to a page in a mode: a link, or a button that changes the mode.
func (v *visit) startIn(mode config.Mode, path string) cell {
	if v.session.Mode == mode {
		return cell{Text: v.t("setup.start"), Href: path}
	}
	return cell{Form: &form{
		Action: "/mode", Button: v.t("setup.start_" + string(mode)), Small: true,
		Hidden: []kit.Hidden{{Name: "mode", Value: string(mode)}, {Name: "next", Value: path}},
	}}
}

// service says who runs the service, who holds the money until it is paid out, and the fee. rate is
// that of the merchant; empty for a page where it is not shown.
func (v *visit) service(rate number) part {
	p := part{Title: v.t("service"), Text: v.t("service.custody")}
	if v.Service.Operator != "" {
		p.Facts = append(p.Facts, v.fact("service.operator", v.Service.Operator))
	}
	if v.Service.Contact != "" {
		p.Facts = append(p.Facts, v.fact("service.contact", v.Service.Contact))
	}
	if rate != "" {
		p.Facts = append(p.Facts, named(v.t("service.fee"), plain(v.t("service.fee_of", percent(rate)))))
	}
	return p
}

// ownRate returns the merchant's fee rate; empty for a person who may not read it.
func (v *visit) ownRate() number {
	if !v.may("getMe") {
		return ""
	}
	return v.me().number("feeRate")
}
