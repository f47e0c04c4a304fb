package desk

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
	"github.com/durapay/durapay/api/web"
)

// refreshSwap is the interval, in seconds, at which the page of an unfinished swap reloads
// itself. Each reload asks the swap's provider.
const refreshSwap = 30

// swapAnswer is the API's representation of a swap.
type swapAnswer struct {
	ID         string  `json:"id"`
	Provider   string  `json:"provider"`
	Deposit    string  `json:"depositAddress"`
	Memo       *string `json:"depositMemo"`
	AmountFrom string  `json:"amountFrom"`
	Expected   string  `json:"amountToExpected"`
	From       string  `json:"from"`
	To         string  `json:"to"`
	Status     string  `json:"status"`
	ExpiresAt  string  `json:"expiresAt"`
	Detail     *string `json:"statusDetail"`
	AmountTo   *string `json:"amountTo"`
	TxDeposit  *string `json:"txDeposit"`
	TxPayout   *string `json:"txPayout"`
	TxRefund   *string `json:"txRefund"`
}

// gives returns what the merchant sends; gets returns what they can expect for it.
func (s swapAnswer) gives() string { return s.AmountFrom + " " + strings.ToUpper(s.From) }

func (s swapAnswer) gets() string { return s.Expected + " " + strings.ToUpper(s.To) }

// swaps lists swaps, with the forms for quotes and for the automatic conversion.
func (v *visit) swaps() error {
	var answer struct {
		Swaps []swapAnswer `json:"swaps"`
	}
	if err := v.get("/api/swaps", &answer); err != nil {
		return err
	}
	quotes, err := v.quotes()
	if err != nil {
		return err
	}
	t := &sheetTable{
		Label: v.t("nav.swaps"), Empty: v.t("swaps.none"),
		Columns: []string{v.t("swaps.sent"), v.t("swaps.arrives"), v.t("charges.state"), v.t("swaps.provider"), v.t("swap")},
	}
	for _, s := range answer.Swaps {
		t.Rows = append(t.Rows, []cell{
			plain(s.gives()), plain(s.gets()), plain(v.t("swap." + s.Status)), plain(s.Provider),
			{Text: s.ID, Code: true, Href: "/swaps/" + s.ID},
		})
	}
	parts := slices.Concat(quotes, []part{{Title: v.t("swaps.past"), Table: t}})
	if v.may("setAutoSwap") {
		m, err := v.me()
		if err != nil {
			return err
		}
		parts = append(parts, part{Forms: []form{v.autoSwapForm(m)}})
	}
	return v.show(&page{Text: v.t("swaps.text"), Parts: parts}, v.t("nav.swaps"))
}

// quotes returns the form for quotes and, once the form was sent, the providers' offers.
func (v *visit) quotes() ([]part, error) {
	asked := v.r.URL.Query()
	to, much := exact(v.text("to", "swaps.to", 40)), v.decimal("amount", "swaps.amount")
	to.Value, much.Value = asked.Get("to"), asked.Get("amount")
	to.Required, much.Required = true, true
	all := []part{{Forms: []form{{Action: "/swaps", Get: true, Title: v.t("swaps.quote"), Button: v.t("swaps.ask"), Fields: []field{hinted(to, v.t("swaps.to_hint")), much}}}}}
	if to.Value == "" {
		return all, nil
	}
	var answer struct {
		Quotes []struct {
			Provider string  `json:"provider"`
			Output   number  `json:"output_amount"`
			QuoteID  string  `json:"quote_id"`
			Expires  string  `json:"expires_at"`
			Seconds  *number `json:"estimated_time"`
		} `json:"quotes"`
	}
	err := v.get("/api/swap/quotes"+query("to", to.Value)+"&amount="+escaped(amount(much.Value).String()), &answer)
	if refused, ok := errors.AsType[*web.Error](err); ok {
		v.status = refused.Status
		v.tell(refused)
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	for _, q := range answer.Quotes {
		all = append(all, part{
			Title: q.Provider, Facts: []fact{
				named(v.t("swaps.arrives"), cell{Text: trimmed(q.Output) + " " + strings.ToUpper(to.Value), Good: true}), named(v.t("charge.expires"), plain(v.moment(&q.Expires))),
			},
			Forms: []form{{
				Action: "/swaps", Button: v.t("swaps.make"), Lesser: true,
				Hidden: []sheet.Hidden{{Name: "to", Value: to.Value}, {Name: "amount", Value: amount(much.Value).String()}, {Name: "quote_id", Value: q.QuoteID}},
				Fields: []field{{ID: "address-" + q.Provider, Name: "address", Label: v.t("swaps.address", strings.ToUpper(to.Value)), Type: "text", Max: 200, Required: true, Exact: true}},
			}},
		})
	}
	return all, nil
}

// makeSwap makes a swap and shows where to pay.
func (v *visit) makeSwap() error {
	var made swapAnswer
	content := body{
		"from": "xmr", "to": v.form("to"), "amount": amount(v.form("amount")), "address": v.form("address"), "quoteId": v.form("quote_id"),
	}
	if err := v.post("/api/swap/create", content, &made); err != nil {
		return err
	}
	return v.redirect("/swaps/" + made.ID)
}

// swap shows one swap with its current status at the provider.
func (v *visit) swap() error {
	var s swapAnswer
	if err := v.get("/api/swap/status/"+v.id(), &s); err != nil {
		return err
	}
	facts := []fact{
		named(v.t("charges.state"), plain(v.t("swap."+s.Status))), named(v.t("swaps.sent"), plain(s.gives())),
		named(v.t("swaps.arrives"), plain(s.gets())), named(v.t("swaps.provider"), plain(s.Provider)), named(v.t("charge.expires"), plain(v.moment(&s.ExpiresAt))),
	}
	for _, more := range []struct {
		name string
		text *string
	}{{"swaps.detail", s.Detail}, {"swaps.memo", s.Memo}, {"swaps.tx_deposit", s.TxDeposit}, {"swaps.tx_payout", s.TxPayout}, {"swaps.tx_refund", s.TxRefund}} {
		if more.text != nil {
			facts = append(facts, named(v.t(more.name), plain(*more.text)))
		}
	}
	p := &page{Narrow: true, Parts: []part{{Facts: facts}}}
	if s.Status == "waiting" {
		p.Parts = append(p.Parts, part{Title: v.t("swaps.pay"), Text: v.t("swaps.pay_text", s.gives()), Copy: s.Deposit})
	}
	if !slices.Contains([]string{"finished", "failed", "refunded"}, s.Status) {
		v.refresh = refreshSwap
	}
	return v.show(p, v.t("swap"))
}

// autoSwapForm returns the form that sets whether sweeps pay into a swap.
func (v *visit) autoSwapForm(m me) form {
	is := func(text *string) string {
		if text == nil {
			return ""
		}
		return *text
	}
	currency, address := exact(v.text("currency", "swaps.to", 40)), exact(v.text("auto_address", "swaps.auto_address", 200))
	currency.Value = v.filled("currency", is(m.AutoSwap.Currency))
	if m.AutoSwap.Enabled {
		address.Hint = v.t("swaps.auto_is", is(m.AutoSwap.Address))
	}
	f := form{Action: "/swaps/auto", Title: v.t("swaps.auto"), Text: v.t("swaps.auto_text"), Button: v.t("save"), Lesser: true, Fields: []field{
		{Name: "enabled", Label: v.t("swaps.auto_on"), Type: "checkbox", Checked: v.chosen("enabled", "on", m.AutoSwap.Enabled)}, currency, address,
	}}
	if m.TwoFactor {
		f.Fields = append(f.Fields, v.factor("auto-code")...)
	}
	return f
}

// setAutoSwap saves the automatic conversion.
func (v *visit) setAutoSwap() error {
	content := v.withCode(body{"enabled": v.form("enabled") != ""})
	if v.form("enabled") != "" {
		content.with("currency", v.form("currency")).with("address", v.form("auto_address"))
	}
	if err := v.call(http.MethodPut, "/api/merchants/auto-swap", content, &struct{}{}); err != nil {
		return err
	}
	return v.done("/swaps")
}
