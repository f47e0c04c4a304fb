package opdesk

// inventory shows the balances of the exchange's wallets.
func (v *visit) inventory() error {
	var answer struct {
		Holdings []struct {
			WalletID  string  `json:"wallet_id"`
			Ticker    string  `json:"ticker"`
			Network   string  `json:"network"`
			Total     number  `json:"total"`
			Unlocked  number  `json:"unlocked"`
			Reserved  number  `json:"reserved"`
			Unfunded  number  `json:"unfunded"`
			CurrentAt *string `json:"balance_current_at"`
			SafeMode  bool    `json:"safe_mode"`
		} `json:"holdings"`
	}
	if err := v.get("/api/admin/inventory", &answer); err != nil {
		return err
	}
	t := table{Columns: []string{"Coin", "Total", "Spendable", "Reserved", "Of that without a deposit", "As of", "Wallet"}, Empty: "There is no exchange."}
	for _, h := range answer.Holdings {
		wallet := cell{Text: h.WalletID}
		if h.SafeMode {
			wallet = cell{Text: h.WalletID + ", in safe mode", Warn: true, Links: v.safeModeLinks(h.WalletID)}
		}
		t.Rows = append(t.Rows, []cell{
			plain(h.Ticker + " " + h.Network), plain(h.Total.String()), plain(h.Unlocked.String()), plain(h.Reserved.String()),
			plain(h.Unfunded.String()), plain(moment(h.CurrentAt)), wallet,
		})
	}
	return v.show(&page{Title: "Inventory", Text: "What the exchange holds, in whole coins.", Tables: []table{t}})
}
