package opdesk

import (
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/workflows"
)

// maxShown is the maximum number of rows of a table, and of steps, on the page of one item.
const maxShown = 50

// shortened cuts each table of a page to its first rows and the timeline to its latest steps. It
// says how many there are.
func shortened(p *page) *page {
	for i := range p.Tables {
		if t := &p.Tables[i]; len(t.Rows) > maxShown {
			t.Text = fmt.Sprintf("The first %d of %d. The admin API has more.", maxShown, len(t.Rows))
			t.Rows = t.Rows[:maxShown]
		}
	}
	if n := len(p.Timeline); n > maxShown {
		p.TimelineText = fmt.Sprintf("The latest %d of %d. The admin API has more.", maxShown, n)
		p.Timeline = p.Timeline[n-maxShown:]
	}
	return p
}

// charge shows a charge with all that happened to it.
func (v *visit) charge() error {
	return show(v, "/charges/"+v.id(), func(c operator.WholeCharge) *page {
		payments := table{Title: "Payments", Columns: []string{"Transaction", "Amount", "Block", "Seen", "Payout"}, Empty: "No payment was seen."}
		payments = fill(payments, c.Payments, func(p operator.ChargePayment) []cell {
			return []cell{code(p.TxHash), plain(xmr(p.AmountXMR)), blockOf(p), plain(moment(&p.FirstSeenAt)), rowLink("payouts", textOf(p.PayoutID))}
		})
		refunds := table{Title: "Refunds", Columns: []string{"Refund", "State", "Amount", "Created"}, Empty: "It has no refund."}
		refunds = fill(refunds, c.Refunds, func(r operator.Refund) []cell {
			return []cell{rowLink("refunds", r.RefundID), plain(string(r.Status)), plain(xmr(r.AmountXMR)), plain(moment(&r.CreatedAt))}
		})
		confirmations := fmt.Sprintf("%d of %d", c.Confirmations, c.Required)
		if c.Status == operator.Removed {
			confirmations = "–"
		}
		return shortened(&page{
			Title: c.ChargeID, Links: v.workflow(workflows.ChargeWorkflowID(c.ChargeID)),
			Facts: []fact{
				{"State", chargeState(c.Charge)}, {"Mode", plain(string(c.Mode))}, {"Asked for", plain(c.Amount.String() + " " + string(c.Currency) + ", " + xmr(c.AmountXMR))},
				{"Received", plain(xmr(c.ReceivedXMR))}, {"Confirmations", plain(confirmations)}, {"Order", plain(orDash(c.OrderID))},
				{"Merchant", merchantCell(&c.MerchantID)}, {"Address", code(orDash(&c.Address))}, {"Wallet", plain(orDash(&c.WalletID))},
				{"Created", plain(moment(&c.CreatedAt))}, {"Payment timeout", plain(moment(c.ExpiresAt))}, {"Confirmed", plain(moment(c.ConfirmedAt))},
			},
			Tables: append(v.alertsAbout(c.Alerts), payments, refunds), Timeline: c.Timeline,
		})
	})
}

// blockOf returns the block of a payment, or where it is without one.
func blockOf(p operator.ChargePayment) cell {
	switch {
	case p.VanishedAt != nil:
		return cell{Text: "left the chain " + moment(p.VanishedAt), Warn: true}
	case p.Height == nil:
		return plain("in the pool")
	case !p.Mature:
		return plain(fmt.Sprintf("%d, not deep enough", *p.Height))
	}
	return plain(fmt.Sprint(*p.Height))
}

// alertsAbout returns a table of open alerts; none without any.
func (v *visit) alertsAbout(alerts []operator.Alert) []table {
	if len(alerts) == 0 {
		return nil
	}
	t := v.alertTable(operator.Alerts{Alerts: alerts}, false)
	t.Title = "Open alerts"
	return []table{t}
}

// payout shows a payout with all that happened to it.
func (v *visit) payout() error {
	return show(v, "/payouts/"+v.id(), func(p operator.WholePayout) *page {
		payments := table{Title: "Payments", Columns: []string{"Charge", "Transaction", "Amount"}, Empty: "It takes no payment."}
		payments = fill(payments, p.Payments, func(x operator.PayoutPayment) []cell {
			return []cell{rowLink("charges", textOf(x.ChargeID)), code(x.TxHash), plain(xmr(x.AmountXMR))}
		})
		return shortened(&page{
			Title: p.PayoutID, Links: append(v.workflow(workflows.PayoutWorkflowID(p.PayoutID)), runbookLink("payout-stuck")...),
			Facts: []fact{
				{"State", cell{Text: string(p.Status), Warn: p.Status == "failed"}}, {"Why it failed", plain(orDash(p.Error))},
				{"Refused by the network since", plain(moment(p.RefusedSince))}, {"Taken", plain(xmr(p.GrossXMR))}, {"Arrives", plain(xmr(p.AmountXMR))},
				{"Operator's fee", plain(xmr(p.FeeXMR) + ", rate " + p.FeeRate.String())}, {"Network fee", plain(xmr(p.NetworkFeeXMR))},
				{"Merchant", merchantCell(&p.MerchantID)}, {"To", code(p.Address)}, {"Transaction", code(orDash(p.TxHash))}, {"Block", plain(dash(textOf(p.Height)))},
				{"Refund's claim", code(orDash(p.ClaimID))}, {"Swap", code(orDash(p.SwapID))}, {"Wallet", plain(p.WalletID)},
			},
			Tables: append(v.alertsAbout(p.Alerts), payments), Timeline: p.Timeline,
		})
	})
}

// refund shows a refund with all that happened to it.
func (v *visit) refund() error {
	return show(v, "/refunds/"+v.id(), func(r operator.WholeRefund) *page {
		claims := table{Title: "Claims", Columns: []string{"Claim", "State", "Amount", "To", "Waits for", "Payout", "Transaction"}, Empty: "It has no claim yet."}
		claims = fill(claims, r.Claims, func(k operator.RefundClaim) []cell {
			return []cell{
				code(k.ClaimID), plain(strings.ReplaceAll(string(k.Status), "_", " ")), plain(xmr(k.AmountXMR)), code(orDash(&k.Address)), plain(orDash(k.WaitsFor)),
				rowLink("payouts", textOf(k.PayoutID)), code(orDash(k.TxHash)),
			}
		})
		return shortened(&page{
			Title: r.RefundID, Links: append(v.workflow(workflows.RefundWorkflowID(r.RefundID)), runbookLink("payout-stuck")...),
			Facts: []fact{
				{"State", plain(strings.ReplaceAll(string(r.Status), "_", " "))}, {"Amount", plain(xmr(r.AmountXMR))}, {"Name", plain(orDash(&r.Name))},
				{"Charge", rowLink("charges", r.ChargeID)}, {"Merchant", merchantCell(&r.MerchantID)}, {"Created", plain(moment(&r.CreatedAt))},
				{"Can be claimed until", plain(moment(&r.ExpiresAt))},
			},
			Tables: []table{claims}, Timeline: r.Timeline,
		})
	})
}

// trade shows a trade with all that happened to it.
func (v *visit) trade() error {
	return show(v, "/trades/"+v.id(), func(s operator.WholeTrade) *page {
		deposits := table{Title: "Deposits", Columns: []string{"Transaction", "Amount", "Confirmations", "Seen"}, Empty: "No deposit was seen."}
		deposits = fill(deposits, s.Deposits, func(d operator.TradeDeposit) []cell {
			return []cell{code(d.TxHash), plain(d.Amount.String()), {Text: depositState(d), Warn: d.Blocked || d.Contested}, plain(moment(&d.FirstSeenAt))}
		})
		payments := table{Title: "Payouts and refunds", Columns: []string{"What", "State", "Amount", "Transaction"}, Empty: "Nothing is paid yet."}
		payments = fill(payments, s.Payments, func(p operator.TradePayment) []cell {
			state := string(p.State)
			if p.Reason != nil {
				state += ": " + *p.Reason
			}
			return []cell{plain(string(p.Kind)), plain(state), plain(p.Amount.String()), code(orDash(p.TxHash))}
		})
		return shortened(&page{
			Title: s.TradeID, Links: append(v.workflow(workflows.TradeWorkflowID(s.TradeID)), runbookLink("trade-stuck")...),
			Text: "The client's addresses are sealed: the command admin trades show opens them.",
			Facts: []fact{
				{"State", plain(strings.ReplaceAll(string(s.Status), "_", " "))}, {"Why", plain(orDash(&s.Detail))},
				{"From", plain(s.AmountFrom.String() + " " + s.From)}, {"To", plain(s.AmountTo.String() + " " + s.To)}, {"Rate", plain(s.Rate.String())},
				{"Received", plain(s.Received.String())}, {"Pays", plain(s.Payout.String())}, {"Reserved", plain(s.Reserved.String())},
				{"Deposit address", code(s.DepositAddress)}, {"Created", plain(moment(&s.CreatedAt))}, {"Deposit until", plain(moment(&s.ExpiresAt))},
				{"Changed", plain(moment(&s.UpdatedAt))},
			},
			Tables: []table{deposits, payments}, Timeline: s.Timeline,
		})
	})
}

// depositState returns a deposit's depth and anything unusual about it.
func depositState(d operator.TradeDeposit) string {
	text := fmt.Sprint(d.Confirmations)
	if d.Blocked {
		text += ", blocked"
	}
	if d.Contested {
		text += ", contested"
	}
	if d.MissingAt != nil {
		text += ", left the chain " + moment(d.MissingAt)
	}
	return text
}
