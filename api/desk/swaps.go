package desk

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/coin"
)

// refreshSwap is the interval, in seconds, at which the page of an unfinished swap reloads
// itself. Each reload asks the swap's provider.
const refreshSwap = 30

// gives returns what the merchant sends; gets returns what they can expect for it.
func gives(s answer) string { return s.text("amountFrom") + " " + strings.ToUpper(s.text("from")) }

func gets(s answer) string { return s.text("amountToExpected") + " " + strings.ToUpper(s.text("to")) }

// swaps lists swaps, with the forms for quotes and for the automatic conversion.
func (v *visit) swaps() error {
	all := v.list("/api/swaps", "swaps")
	quotes := v.quotes()
	t := table(v, "nav.swaps", "swaps.none", all, columns{
		{"swaps.sent", func(s answer) cell { return cell{Text: gives(s), Href: "/swaps/" + s.id(), Row: true} }}, {"charges.state", v.byValue("swap.", "status")},
		{"swaps.arrives", func(s answer) cell { return plain(gets(s)) }}, {"swaps.provider", says("provider")},
	})
	parts := slices.Concat(quotes, []part{{Title: v.t("swaps.past"), Table: t}})
	if v.may("setAutoSwap") {
		m := v.me()
		parts = append(parts, part{Forms: []form{v.autoSwapForm(m)}})
	}
	return v.show(&page{Text: v.t("swaps.text"), Parts: parts}, v.t("nav.swaps"))
}

// quotes returns the form for quotes and, once the form was sent, the providers' offers.
func (v *visit) quotes() []part {
	asked := v.r.URL.Query()
	to, much := v.coins("to", asked.Get("to")), needed(v.decimal("amount", "charge.asked"))
	to.Value, much.Value = asked.Get("to"), asked.Get("amount")
	all := []part{{Forms: []form{{Action: "/swaps", Get: true, Title: v.t("swaps.quote"), Button: v.t("swaps.ask"), Fields: []field{to, much}}}}}
	if to.Value == "" || v.failed != nil {
		return all
	}
	offers := v.list("/api/swap/quotes"+query("to", to.Value)+"&amount="+escaped(amount(much.Value).String()), "quotes")
	v.admit()
	for _, q := range offers {
		all = append(all, part{
			Title: q.text("provider"), Facts: []fact{
				named(v.t("swaps.arrives"), cell{Text: trimmed(q.number("output_amount")) + " " + strings.ToUpper(to.Value), Good: true}),
				v.fact("swaps.rate", "1 XMR = "+trimmed(q.number("rate"))+" "+strings.ToUpper(to.Value)), v.fact("swaps.time", v.lasts(q.text("estimated_time"))),
				v.fact("charge.expires", v.moment(q.text("expires_at"))),
			},
			Forms: []form{{
				Action: "/swaps", Button: v.t("swaps.make"), Lesser: true,
				Hidden: []kit.Hidden{{Name: "to", Value: to.Value}, {Name: "amount", Value: amount(much.Value).String()}, {Name: "quote_id", Value: q.text("quote_id")}},
				Fields: []field{{ID: "address-" + q.text("provider"), Name: "address", Label: v.t("swaps.address", strings.ToUpper(to.Value)), Type: "text", Max: 200, Required: true, Exact: true}},
			}},
		})
	}
	return all
}

// coins returns the choice of a coin that XMR can be swapped to.
func (v *visit) coins(name, is string) field {
	f := field{Name: name, Label: v.t("swaps.to"), Type: "select"}
	for _, c := range coin.All() {
		if c.Ticker != coin.Monero {
			f.Options = append(f.Options, kit.Option{Value: c.Symbol(), Text: c.Name, Chosen: v.filled(name, is) == c.Symbol()})
		}
	}
	return f
}

// lasts shows a number of seconds in words, or a dash for none.
func (v *visit) lasts(seconds string) string {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return none
	}
	return v.translator().Span(time.Duration(n) * time.Second)
}

// typedSwap returns the swap of an offer.
func (v *visit) typedSwap() body {
	return body{"from": "xmr", "to": v.form("to"), "amount": amount(v.form("amount")), "address": v.form("address"), "quoteId": v.form("quote_id")}
}

// swap shows one swap with its current status at the provider.
func (v *visit) swap() error {
	s := v.read(v.at("/api/swap/status/{id}"))
	facts := []fact{
		v.fact("charges.state", v.t("swap."+s.text("status"))), v.fact("swaps.sent", gives(s)), v.fact("swaps.arrives", gets(s)),
		v.fact("swaps.provider", s.text("provider")), v.fact("charge.expires", v.moment(s.text("expiresAt"))),
	}
	for _, more := range [][2]string{
		{"swaps.detail", "statusDetail"}, {"swaps.memo", "depositMemo"}, {"swaps.tx_deposit", "txDeposit"}, {"swaps.tx_payout", "txPayout"}, {"swaps.tx_refund", "txRefund"},
	} {
		if text := s.text(more[1]); text != "" {
			facts = append(facts, v.fact(more[0], text))
		}
	}
	p := &page{Narrow: true, Parts: []part{{Facts: facts}}}
	if s.text("status") == "waiting" {
		p.Parts = append(p.Parts, part{Title: v.t("swaps.pay"), Text: v.t("swaps.pay_text", gives(s)), Copy: s.text("depositAddress")})
	}
	if !slices.Contains([]string{"finished", "failed", "refunded"}, s.text("status")) {
		v.refresh = refreshSwap
	}
	return v.show(p, v.t("swap"))
}

// autoSwapForm returns the form that sets whether sweeps pay into a swap.
func (v *visit) autoSwapForm(m answer) form {
	is := m.in("autoSwap")
	currency, address := v.coins("currency", is.text("currency")), exact(v.text("auto_address", "swaps.auto_address", 200))
	currency.Options = slices.DeleteFunc(currency.Options, func(o kit.Option) bool { return strings.Contains(o.Value, ":") }) // the address tells the network
	if is.is("enabled") {
		address.Hint = v.t("swaps.auto_is", is.text("address"))
	}
	return form{Action: "/swaps/auto", Title: v.t("swaps.auto"), Text: v.t("swaps.auto_text"), Button: v.t("save"), Lesser: true, Fields: append([]field{
		{Name: "enabled", Label: v.t("swaps.auto_on"), Type: "checkbox", Checked: v.chosen("/swaps/auto", "enabled", "on", is.is("enabled"))}, currency, address,
	}, v.codeOf(m, "auto-code")...)}
}

// typedAutoSwap returns the automatic conversion.
func (v *visit) typedAutoSwap() body {
	content := v.withCode(body{"enabled": v.form("enabled") != ""})
	if v.form("enabled") != "" {
		content.with("currency", v.form("currency")).with("address", v.form("auto_address"))
	}
	return content
}
