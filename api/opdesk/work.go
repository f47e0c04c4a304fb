package opdesk

import (
	"fmt"

	"github.com/durapay/durapay/internal/operator"
)

// show shows the answer of a route of the API as a page.
func show[T any](v *visit, route string, of func(T) *page) error {
	var answer T
	if err := v.get("/api/admin"+route, &answer); err != nil {
		return err
	}
	return v.show(of(answer))
}

// alerts lists alerts, open or resolved.
func (v *visit) alerts() error {
	return show(v, "/alerts"+v.listQuery("status"), func(answer operator.Alerts) *page {
		links, resolved := v.openOrResolved()
		return &page{
			Title: "Alerts", Text: "The service closes some alerts once their cause is gone. The runbook says which.",
			Links: links, Tables: []table{v.alertTable(answer, resolved)}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

func (v *visit) alertTable(answer operator.Alerts, resolved bool) table {
	t := table{Columns: []string{"What", "About", "Detail", "Since", "Done"}, Empty: "No alerts."}
	return fill(t, answer.Alerts, func(a operator.Alert) []cell {
		done := cell{Form: resolveForm("alerts", a.ID, "Close")}
		if resolved {
			done = plain(moment(a.ResolvedAt) + ": " + orDash(a.Note))
		}
		return []cell{{Text: a.Kind, Links: v.linksOf(a.Kind, a.Subject)}, {Text: a.Subject, Code: true, Href: pathOfID(a.Subject)}, plain(a.Detail), plain(moment(&a.OpenedAt)), done}
	})
}

func (v *visit) resolveAlert() error { return v.resolve("alerts") }

// unmatched lists money that belongs to no charge.
func (v *visit) unmatched() error {
	return show(v, "/unmatched"+v.listQuery("status"), func(answer operator.UnmatchedPayments) *page {
		links, resolved := v.openOrResolved()
		t := table{Columns: []string{"Amount", "Wallet", "Transaction", "Seen", "Charge once", "Merchant", "Done"}, Empty: "No unmatched money."}
		t = fill(t, answer.Payments, func(p operator.UnmatchedPayment) []cell {
			done := cell{Form: resolveForm("unmatched", p.ID, "Note it")}
			if resolved {
				done = plain(moment(p.ResolvedAt) + ": " + orDash(p.Note))
			}
			seen := moment(&p.FirstSeenAt)
			switch {
			case p.VanishedAt != nil:
				seen += ", left the chain " + moment(p.VanishedAt)
			case p.Height != nil:
				seen += ", block " + textOf(p.Height)
			default:
				seen += ", in the pool"
			}
			return []cell{
				plain(xmr(p.AmountXMR)), plain(fmt.Sprintf("%s, subaddress %d", p.WalletID, p.SubaddressIndex)), code(p.TxHash), plain(seen),
				rowLink("charges", textOf(p.FormerChargeID)), merchantCell(p.MerchantID), done,
			}
		})
		return &page{
			Title: "Unmatched money", Text: "Money in a wallet that is in no merchant's balance. A note moves no money.",
			Links: append(links, runbookLink("unmatched-payment")...), Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// resolveUnmatched records what the operator did about a payment.
func (v *visit) resolveUnmatched() error { return v.resolve("unmatched") }

// resolve records what the operator did about a row of a list.
func (v *visit) resolve(list string) error {
	return v.change("/"+list, "/"+list+"/"+v.id()+"/resolve", map[string]string{"note": v.r.PostForm.Get("note")})
}

// change posts to a route of the API and then leads to a page of the desk.
func (v *visit) change(page, route string, body any) error {
	if err := v.post("/api/admin"+route, body, &struct{}{}); err != nil {
		return err
	}
	return v.done(Root + page)
}

// deliveries lists webhook deliveries that failed or were dropped.
func (v *visit) deliveries() error {
	return show(v, "/deliveries"+v.listQuery(), func(answer operator.Deliveries) *page {
		t := table{Columns: []string{"Delivery", "Event", "Receiver", "Merchant", "State", "Last attempt", "Again"}, Empty: "No failed deliveries."}
		t = fill(t, answer.Deliveries, func(d operator.Delivery) []cell {
			return []cell{
				v.led(d.ID, workflowOfDelivery(d.ID, d.ResourceID, d.Attempts)), {Text: d.Event + " of " + d.ResourceID, Code: true, Href: pathOfID(d.ResourceID)}, code(d.URL), merchantCell(&d.MerchantID),
				plain(fmt.Sprintf("%s after %d: %s", d.Status, d.Attempts, orDash(d.Error))), plain(moment(d.LastAttemptAt)),
				{Form: &form{Action: Root + "/deliveries/" + d.ID + "/redeliver", Button: "Send again"}},
			}
		})
		return &page{
			Title: "Deliveries", Text: "Webhook deliveries of all merchants that failed or were dropped.",
			Links: runbookLink("webhook-failures"), Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor)),
		}
	})
}

// redeliver sends a delivery again. The API refuses this while the delivery is pending, so a
// form that is sent twice begins one round of attempts.
func (v *visit) redeliver() error {
	return v.change("/deliveries", "/deliveries/"+v.id()+"/redeliver", nil)
}

// audit lists the changes that operators made.
func (v *visit) audit() error {
	return show(v, "/audit"+v.listQuery(), func(answer operator.Changes) *page {
		t := table{Columns: []string{"When", "Who", "What", "About", "Detail"}, Empty: "No changes yet."}
		t = fill(t, answer.Changes, func(c operator.Change) []cell {
			return []cell{plain(moment(&c.At)), code(c.Actor), plain(c.Action), {Text: c.Subject, Code: true, Href: pathOfID(c.Subject)}, code(string(c.Detail))}
		})
		return &page{Title: "Audit", Text: "The newest first; nothing is ever removed.", Tables: []table{t}, Next: v.nextPage(textOf(answer.NextCursor))}
	})
}
