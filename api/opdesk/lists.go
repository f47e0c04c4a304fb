package opdesk

import (
	"net/url"
	"strings"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/operator"
)

// chips returns links that filter the list of the page by status. A list of one merchant has all
// statuses.
func (v *visit) chips(statuses ...string) []link {
	query := v.r.URL.Query()
	if query.Get("merchant_id") != "" {
		return []link{{Href: v.here(), Text: "All merchants"}}
	}
	mode := query.Get("mode")
	chosen := query.Get("status")
	links := []link{{Href: v.here() + encoded(url.Values{"mode": {mode}}), Text: "All", Current: chosen == ""}}
	for _, s := range statuses {
		links = append(links, link{
			Href: v.here() + encoded(url.Values{"status": {s}, "mode": {mode}}), Text: strings.ReplaceAll(s, "_", " "), Current: chosen == s,
		})
	}
	return links
}

// encoded returns a query without its empty values, with the question mark; empty for none.
func encoded(query url.Values) string {
	for name := range query {
		if query.Get(name) == "" {
			query.Del(name)
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// none returns the text of an empty list.
func (v *visit) none(what string) string {
	if v.r.URL.Query().Get("status") == "" {
		return "No " + what + " yet."
	}
	return "No " + what + " has this state."
}

// modes returns links between live charges and those of the sandbox.
func (v *visit) modes() []link {
	query := v.r.URL.Query()
	sandbox := query.Get("mode") == string(config.Sandbox)
	to := func(mode config.Mode) string {
		return v.here() + encoded(url.Values{"mode": {string(mode)}, "merchant_id": {query.Get("merchant_id")}, "status": {query.Get("status")}})
	}
	return []link{{Href: to(config.Live), Text: "Live", Current: !sandbox}, {Href: to(config.Sandbox), Text: "Sandbox", Current: sandbox}}
}

// charges lists the newest charges.
func (v *visit) charges() error {
	return show(v, "/charges"+v.listQuery("mode", "status", "merchant_id"), func(answer operator.Charges) *page {
		t := table{Columns: []string{"Charge", "State", "Asked for", "Received", "Order", "Merchant", "Created"}, Empty: v.none("charge")}
		t = fill(t, answer.Charges, func(c operator.Charge) []cell {
			return []cell{
				rowLink("charges", c.ChargeID), chargeState(c), plain(c.Amount.String() + " " + string(c.Currency)), plain(xmr(c.ReceivedXMR)),
				plain(orDash(c.OrderID)), merchantCell(&c.MerchantID), plain(moment(&c.CreatedAt)),
			}
		})
		return &page{
			Title: "Charges", Text: "The newest first.", Links: append(v.modes(), v.chips("pending", "confirmed", "expired")...),
			Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// payouts lists the newest payouts.
func (v *visit) payouts() error {
	return show(v, "/payouts"+v.listQuery("status", "merchant_id"), func(answer operator.Payouts) *page {
		t := table{Columns: []string{"Payout", "State", "Taken", "Arrives", "Charges", "Merchant", "Created"}, Empty: v.none("payout")}
		t = fill(t, answer.Payouts, func(p operator.Payout) []cell {
			return []cell{
				rowLink("payouts", p.PayoutID), {Text: string(p.Status), Warn: p.Status == "failed"}, plain(xmr(p.GrossXMR)), plain(xmr(p.AmountXMR)),
				plain(textOf(&p.Charges)), merchantCell(&p.MerchantID), plain(moment(&p.CreatedAt)),
			}
		})
		return &page{
			Title: "Payouts", Text: "The newest first.", Links: v.chips("building", "broadcast", "confirmed", "failed"),
			Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// refunds lists the newest refunds.
func (v *visit) refunds() error {
	return show(v, "/refunds"+v.listQuery("status", "merchant_id"), func(answer operator.Refunds) *page {
		t := table{Columns: []string{"Refund", "State", "Amount", "Charge", "Merchant", "Created"}, Empty: v.none("refund")}
		t = fill(t, answer.Refunds, func(r operator.Refund) []cell {
			return []cell{
				rowLink("refunds", r.RefundID), plain(strings.ReplaceAll(string(r.Status), "_", " ")), plain(xmr(r.AmountXMR)), rowLink("charges", r.ChargeID),
				merchantCell(&r.MerchantID), plain(moment(&r.CreatedAt)),
			}
		})
		return &page{
			Title: "Refunds", Text: "The newest first.",
			Links:  v.chips("open", "awaiting_approval", "awaiting_payment", "in_progress", "completed", "cancelled", "expired"),
			Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// trades lists the newest trades.
func (v *visit) trades() error {
	return show(v, "/trades"+v.listQuery("status"), func(answer operator.Trades) *page {
		t := table{Columns: []string{"Trade", "State", "From", "To", "Created", "Changed"}, Empty: v.none("trade")}
		t = fill(t, answer.Trades, func(s operator.Trade) []cell {
			return []cell{
				rowLink("trades", s.TradeID), {Text: strings.ReplaceAll(string(s.Status), "_", " "), Warn: s.Status == "failed" || s.Status == "hold"},
				plain(s.AmountFrom.String() + " " + s.From), plain(s.AmountTo.String() + " " + s.To), plain(moment(&s.CreatedAt)), plain(moment(&s.UpdatedAt)),
			}
		})
		return &page{
			Title: "Trades", Text: "The newest first.",
			Links:  v.chips("awaiting_deposit", "deposit_detected", "confirming", "processing", "sending", "completed", "refunded", "failed", "expired", "hold"),
			Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// rowLink returns a cell with an identifier that leads to its page; a dash for an empty one.
func rowLink(list, id string) cell {
	if id == "" {
		return plain("–")
	}
	return cell{Text: id, Code: true, Href: Root + "/" + list + "/" + url.PathEscape(id)}
}

// chargeState returns a charge's status and anything unusual about it.
func chargeState(c operator.Charge) cell {
	switch {
	case c.Unbacked:
		return cell{Text: c.Status + ", its money left the chain", Warn: true}
	case c.Late:
		return plain(c.Status + " late")
	case c.Status == "confirmed" || c.PaymentState == "unpaid":
		return plain(c.Status)
	}
	return plain(c.Status + ", " + string(c.PaymentState))
}
