package opdesk

import (
	"fmt"

	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/workflows"
)

// stuck lists rows that should have moved but have not.
func (v *visit) stuck() error {
	return show(v, "/stuck", func(answer operator.Stuck) *page {
		return &page{Title: "Stuck", Text: "At most 200 of each kind.", Tables: v.stuckTables(answer)}
	})
}

// stuckTables returns one table for each kind of stuck row.
func (v *visit) stuckTables(answer operator.Stuck) []table {
	return []table{
		fill(table{
			Title: "Overdue", Links: runbookLink("overdue"), Empty: "Nothing is overdue.",
			Text:    "Rows that should have moved 15 minutes ago, or an hour ago where they wait for blocks.",
			Columns: []string{"Kind", "Which", "Merchant", "State", "Since"},
		}, answer.Overdue, func(i operator.OverdueItem) []cell {
			return []cell{plain(string(i.Kind)), v.led(i.ID, workflowOf(i.Kind, i.ID)), merchantCell(i.MerchantID), plain(i.Status), plain(moment(&i.Since))}
		}),
		fill(table{
			Title: "Payouts", Links: runbookLink("payout-stuck"), Empty: "No stuck payouts.",
			Columns: []string{"Payout", "Merchant", "Sum", "State", "Transaction", "Begun", "Alert"},
		}, answer.Payouts, func(p operator.StuckPayout) []cell {
			return []cell{
				v.led(p.PayoutID, workflows.PayoutWorkflowID(p.PayoutID)), merchantCell(&p.MerchantID), plain(xmr(p.GrossXMR)), plain(string(p.Status)),
				code(orDash(p.TxHash)), plain(moment(&p.CreatedAt)), plain(orDash(p.Alert)),
			}
		}),
		fill(table{
			Title: "Trades", Links: runbookLink("trade-stuck"), Empty: "No stuck trades.",
			Columns: []string{"Trade", "State", "From", "To", "Changed", "Alerts"},
		}, answer.Trades, func(s operator.StuckTrade) []cell {
			return []cell{
				{Text: s.TradeID, Code: true, Href: Root + "/trades/" + s.TradeID, Links: v.workflow(workflows.TradeWorkflowID(s.TradeID))}, plain(string(s.Status) + " " + s.Detail), plain(s.AmountFrom.String() + " " + s.From),
				plain(s.AmountTo.String() + " " + s.To), plain(moment(&s.UpdatedAt)), plain(orDash(&s.Alerts)),
			}
		}),
		fill(table{
			Title: "Refunds", Links: runbookLink("payout-stuck"), Empty: "No refund waits.", Text: "Approved more than an hour ago and not being paid.",
			Columns: []string{"Claim", "Refund", "Merchant", "Amount", "Waits for", "Failed", "Approved"},
		}, answer.Claims, func(c operator.StuckClaim) []cell {
			return []cell{
				code(c.ClaimID), v.led(c.RefundID, workflows.RefundWorkflowID(c.RefundID)), merchantCell(&c.MerchantID), plain(xmr(c.AmountXMR)),
				plain(orDash(c.WaitsFor)), plain(fmt.Sprint(c.Failures)), plain(moment(c.ApprovedAt)),
			}
		}),
		fill(table{
			Title: "Charges without their money", Links: runbookLink("charge-unbacked"), Empty: "The money of all confirmed charges is in the chain.",
			Columns: []string{"Charge", "Merchant", "Amount", "Confirmed"},
		}, answer.Charges, func(c operator.UnbackedCharge) []cell {
			return []cell{
				v.led(c.ChargeID, workflows.ChargeWorkflowID(c.ChargeID)), merchantCell(&c.MerchantID), plain(xmr(c.AmountXMR)), plain(moment(c.ConfirmedAt)),
			}
		}),
		fill(table{
			Title: "Wallets not watched", Links: runbookLink("watcher-lag"), Empty: "All wallets are watched.",
			Columns: []string{"Wallet", "Mode", "Height", "Last scan"},
		}, answer.Wallets, func(w operator.StaleWallet) []cell {
			return []cell{
				{Text: w.WalletID, Warn: true, Links: v.workflow(workflows.WatchWorkflowID(w.ChainID))}, plain(w.Mode), plain(fmt.Sprint(w.ChainHeight)),
				plain(moment(w.ScannedAt)),
			}
		}),
	}
}
