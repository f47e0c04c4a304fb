package desk

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/durapay/durapay/api/pages/sheet"
)

// overview is the API's summary of the last days and of open tasks.
type overview struct {
	Days []struct {
		Day       string `json:"day"`
		Confirmed int    `json:"confirmed"`
		Received  number `json:"received_xmr"`
	} `json:"days"`
	Pending          int `json:"pending"`
	Underpaid        int `json:"underpaid"`
	Late             int `json:"late"`
	FailedDeliveries int `json:"failed_deliveries"`
	RefundsToApprove int `json:"refunds_to_approve"`
}

// balance is the API's summary of the merchant's money.
type balance struct {
	Charges    int     `json:"unpaid_charges"`
	Total      number  `json:"total_xmr"`
	FeeRate    number  `json:"fee_rate"`
	Net        number  `json:"net_xmr"`
	HasAddress bool    `json:"has_payout_address"`
	Locked     number  `json:"locked_xmr"`
	InRefunds  *number `json:"in_refunds_xmr"`
	InPayouts  *number `json:"in_payouts_xmr"`
	HoldUntil  *string `json:"payout_hold_until"`
}

// home shows the most important information first.
func (v *visit) home() error {
	var o overview
	if err := v.get("/api/overview", &o); err != nil {
		return err
	}
	attention := v.attention(o)
	if !v.may("listPayouts") && !v.may("createRefund") {
		attention = part{} // the API omits these counts for a role that sees only today
	}
	parts := []part{{
		Buttons: []link{{Href: "/ask", Text: v.t("nav.ask")}, {Href: "/till", Text: v.t("nav.till")}},
	}, attention, v.days(o)}
	switch {
	case !v.may("getBalance"):
	case v.sandbox():
		parts = append(parts, part{Title: v.t("home.sandbox"), Text: v.t("home.sandbox_text"), Links: []link{
			{Href: "/docs/merchant/quickstart", Text: v.t("docs")}, {Href: "/keys", Text: v.t("keys.title")},
		}})
	default:
		var b balance
		if err := v.get("/api/payouts/balance", &b); err != nil {
			return err
		}
		parts = append(parts, part{Title: v.t("balance"), Facts: v.balanceFacts(b), Links: []link{{Href: "/payouts", Text: v.t("nav.payouts")}}})
	}
	return v.show(&page{Parts: parts}, v.t("nav.home"))
}

// attention lists the merchant's open tasks.
func (v *visit) attention(o overview) part {
	p := part{Title: v.t("attention")}
	add := func(n int, text, path string) {
		if n > 0 {
			p.Facts = append(p.Facts, named(v.t(text), cell{Text: strconv.Itoa(n), Warn: true, Href: path}))
		}
	}
	if !v.sandbox() { // which has no refunds
		add(o.RefundsToApprove, "attention.refunds", "/refunds?attention=to_approve")
	}
	add(o.Underpaid, "attention.underpaid", "/charges?attention=underpaid")
	add(o.Late, "attention.late", "/charges?attention=late")
	add(o.FailedDeliveries, "attention.deliveries", "/deliveries?attention=failed")
	if len(p.Facts) == 0 {
		p.Text = v.t("attention.none")
	}
	p.Facts = append(p.Facts, named(v.t("attention.pending"), cell{Text: strconv.Itoa(o.Pending), Href: "/charges?attention=pending"}))
	return p
}

// days shows the sums of today and of the last days.
func (v *visit) days(o overview) part {
	var all, month sum
	values, texts := make([]*big.Int, len(o.Days)), make([]string, len(o.Days))
	for i, d := range o.Days {
		values[i] = atomic(d.Received)
		all.add(values[i], d.Confirmed)
		texts[i] = fmt.Sprintf("%s: %s", d.Day, xmr(d.Received))
	}
	if len(o.Days) == 0 {
		return part{}
	}
	today := o.Days[len(o.Days)-1]
	for i, d := range o.Days {
		if strings.HasPrefix(d.Day, today.Day[:len("2006-01")]) {
			month.add(values[i], d.Confirmed)
		}
	}
	chart := sheet.NewChart(v.t("home.chart", len(o.Days), xmr(all.xmr())), values, texts)
	chart.First, chart.Last = o.Days[0].Day, today.Day
	return part{
		Title: v.t("home.lately"), Chart: chart,
		Facts: []fact{
			named(v.t("home.today"), plain(xmr(today.Received)+" · "+v.translator().Count("home.charges", today.Confirmed))),
			named(v.t("home.this_month"), plain(xmr(month.xmr())+" · "+v.translator().Count("home.charges", month.charges))),
			named(v.t("home.month", len(o.Days)), plain(xmr(all.xmr())+" · "+v.translator().Count("home.charges", all.charges))),
		},
	}
}

// sum adds up the charges of some days.
type sum struct {
	received big.Int
	charges  int
}

func (s *sum) add(received *big.Int, charges int) {
	s.received.Add(&s.received, received)
	s.charges += charges
}

func (s *sum) xmr() number { return ofAtomic(&s.received) }

// ofAtomic returns an amount of piconero in XMR.
func ofAtomic(n *big.Int) number {
	whole, rest := new(big.Int).QuoRem(n, piconero(), new(big.Int))
	return number(fmt.Sprintf("%s.%012d", whole, rest))
}

// piconero returns the number of piconero in one XMR.
func piconero() *big.Int { return big.NewInt(1_000_000_000_000) }

// atomic returns an amount of XMR in piconero, for sums and for bars.
func atomic(n number) *big.Int {
	whole, part, _ := strings.Cut(n.String(), ".")
	v, ok := new(big.Int).SetString(whole+(part + "000000000000")[:12], 10)
	if !ok {
		return new(big.Int)
	}
	return v
}

// orZero returns the amount, or 0 if the API leaves it out.
func orZero(n *number) number {
	if n == nil {
		return "0"
	}
	return *n
}

// balanceFacts returns the parts of the merchant's balance.
func (v *visit) balanceFacts(b balance) []fact {
	spendable := new(big.Int).Sub(atomic(b.Total), atomic(b.Locked))
	facts := []fact{
		named(v.t("balance.total"), plain(xmr(b.Total))),
		named(v.t("balance.spendable"), cell{Text: xmr(ofAtomic(spendable)), Good: true}),
		named(v.t("balance.locked"), plain(xmr(b.Locked))),
		named(v.t("balance.payouts"), plain(xmr(orZero(b.InPayouts)))),
		named(v.t("balance.refunds"), plain(xmr(orZero(b.InRefunds)))),
		named(v.t("balance.fee"), plain(percent(b.FeeRate))),
		named(v.t("balance.net"), plain(xmr(b.Net))),
		named(v.t("balance.charges"), plain(strconv.Itoa(b.Charges))),
	}
	if b.HoldUntil != nil {
		facts = append(facts, named(v.t("balance.hold"), cell{Text: v.moment(b.HoldUntil), Warn: true}))
	}
	if !b.HasAddress {
		facts = append(facts, named(v.t("payout_address"), cell{Text: v.t("balance.no_address"), Warn: true, Href: "/settings"}))
	}
	return facts
}
