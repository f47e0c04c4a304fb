package opdesk

import "github.com/durapay/durapay/workflows"

// overdueAnswer is a row that should have moved.
type overdueAnswer struct {
	Kind       string  `json:"kind"`
	ID         string  `json:"id"`
	MerchantID *string `json:"merchant_id"`
	Status     string  `json:"status"`
	Since      string  `json:"since"`
}

type stuckAnswer struct {
	Overdue []overdueAnswer `json:"overdue"`
	Payouts []struct {
		ID         string  `json:"payout_id"`
		MerchantID string  `json:"merchant_id"`
		Status     string  `json:"status"`
		Gross      number  `json:"gross_xmr"`
		TxHash     *string `json:"tx_hash"`
		CreatedAt  string  `json:"created_at"`
		Alert      *string `json:"alert"`
	} `json:"payouts"`
	Charges []struct {
		ID          string  `json:"charge_id"`
		MerchantID  string  `json:"merchant_id"`
		Amount      number  `json:"amount_xmr"`
		ConfirmedAt *string `json:"confirmed_at"`
	} `json:"charges"`
	Wallets []struct {
		ID        string  `json:"wallet_id"`
		Mode      string  `json:"mode"`
		Height    number  `json:"chain_height"`
		ScannedAt *string `json:"looked_at"`
	} `json:"wallets"`
	Trades []struct {
		ID         string `json:"trade_id"`
		Status     string `json:"status"`
		Detail     string `json:"status_detail"`
		From       string `json:"from"`
		To         string `json:"to"`
		AmountFrom number `json:"amount_from"`
		AmountTo   number `json:"amount_to"`
		UpdatedAt  string `json:"updated_at"`
		Alerts     string `json:"alerts"`
	} `json:"trades"`
	Claims []struct {
		ID         string  `json:"claim_id"`
		RefundID   string  `json:"refund_id"`
		MerchantID string  `json:"merchant_id"`
		Amount     number  `json:"amount_xmr"`
		WaitsFor   *string `json:"waits_for"`
		Failures   number  `json:"failures"`
		ApprovedAt *string `json:"approved_at"`
	} `json:"claims"`
}

// stuck lists rows that should have moved but have not.
func (v *visit) stuck() error {
	var answer stuckAnswer
	if err := v.get("/api/admin/stuck", &answer); err != nil {
		return err
	}
	return v.show(&page{Title: "Stuck", Text: "At most 200 of each kind.", Tables: v.stuckTables(answer)})
}

// stuckTables returns one table for each kind of stuck row.
func (v *visit) stuckTables(answer stuckAnswer) []table {
	return []table{
		v.overdueTable(answer), v.payoutTable(answer), v.tradeTable(answer), v.claimTable(answer), v.chargeTable(answer), v.walletTable(answer),
	}
}

func (v *visit) overdueTable(answer stuckAnswer) table {
	t := table{
		Title: "Overdue", Links: runbookLink("overdue"), Empty: "Nothing is overdue.",
		Text:    "What should have moved more than 15 minutes ago, or an hour where blocks are waited for.",
		Columns: []string{"Kind", "Which", "Merchant", "Stands", "Since"},
	}
	for _, i := range answer.Overdue {
		t.Rows = append(t.Rows, []cell{
			plain(i.Kind), {Text: i.ID, Code: true, Links: v.workflow(workflowOf(i.Kind, i.ID))}, merchantCell(i.MerchantID),
			plain(i.Status), plain(moment(&i.Since)),
		})
	}
	return t
}

func (v *visit) payoutTable(answer stuckAnswer) table {
	t := table{
		Title: "Payouts", Links: runbookLink("payout-stuck"), Empty: "All payouts get on.",
		Columns: []string{"Payout", "Merchant", "Sum", "Stands", "Transaction", "Begun", "Alert"},
	}
	for _, p := range answer.Payouts {
		t.Rows = append(t.Rows, []cell{
			{Text: p.ID, Code: true, Links: v.workflow(workflows.PayoutWorkflowID(p.ID))}, merchantCell(&p.MerchantID), plain(xmr(p.Gross)),
			plain(p.Status), code(orDash(p.TxHash)), plain(moment(&p.CreatedAt)), plain(orDash(p.Alert)),
		})
	}
	return t
}

func (v *visit) tradeTable(answer stuckAnswer) table {
	t := table{
		Title: "Trades", Links: runbookLink("trade-stuck"), Empty: "All trades get on.",
		Columns: []string{"Trade", "Stands", "From", "To", "Changed", "Alerts"},
	}
	for _, s := range answer.Trades {
		t.Rows = append(t.Rows, []cell{
			{Text: s.ID, Code: true, Links: v.workflow(workflows.TradeWorkflowID(s.ID))}, plain(s.Status + " " + s.Detail),
			plain(s.AmountFrom.String() + " " + s.From), plain(s.AmountTo.String() + " " + s.To), plain(moment(&s.UpdatedAt)), plain(orDash(&s.Alerts)),
		})
	}
	return t
}

func (v *visit) claimTable(answer stuckAnswer) table {
	t := table{
		Title: "Refunds", Links: runbookLink("payout-stuck"), Empty: "No refund waits.", Text: "Approved more than an hour ago and not being paid.",
		Columns: []string{"Claim", "Refund", "Merchant", "Amount", "Waits for", "Failed", "Approved"},
	}
	for _, c := range answer.Claims {
		t.Rows = append(t.Rows, []cell{
			code(c.ID), {Text: c.RefundID, Code: true, Links: v.workflow(workflows.RefundWorkflowID(c.RefundID))}, merchantCell(&c.MerchantID),
			plain(xmr(c.Amount)), plain(orDash(c.WaitsFor)), plain(c.Failures.String()), plain(moment(c.ApprovedAt)),
		})
	}
	return t
}

func (v *visit) chargeTable(answer stuckAnswer) table {
	t := table{
		Title: "Charges without their money", Links: runbookLink("charge-unbacked"), Empty: "The money of all confirmed charges is in the chain.",
		Columns: []string{"Charge", "Merchant", "Amount", "Confirmed"},
	}
	for _, c := range answer.Charges {
		t.Rows = append(t.Rows, []cell{
			{Text: c.ID, Code: true, Links: v.workflow(workflows.ChargeWorkflowID(c.ID))}, merchantCell(&c.MerchantID), plain(xmr(c.Amount)),
			plain(moment(c.ConfirmedAt)),
		})
	}
	return t
}

func (v *visit) walletTable(answer stuckAnswer) table {
	t := table{
		Title: "Wallets that are not watched", Links: runbookLink("watcher-lag"), Empty: "All wallets are watched.",
		Columns: []string{"Wallet", "Mode", "Height", "Last scan"},
	}
	for _, w := range answer.Wallets {
		t.Rows = append(t.Rows, []cell{
			{Text: w.ID, Warn: true, Links: v.workflow(workflows.WatchWorkflowID(w.ID))}, plain(w.Mode), plain(w.Height.String()), plain(moment(w.ScannedAt)),
		})
	}
	return t
}
