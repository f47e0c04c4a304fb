package opdesk

import (
	"strconv"

	"github.com/durapay/durapay/internal/alert"
)

// overview shows the tasks that need an operator first.
func (v *visit) overview() error {
	safe, err := v.safeMode()
	if err != nil {
		return err
	}
	var stopped stuckAnswer
	if err := v.get("/api/admin/stuck", &stopped); err != nil {
		return err
	}
	var open alertsAnswer
	if err := v.get("/api/admin/alerts?limit=20", &open); err != nil {
		return err
	}
	count := func(name string, n int) fact {
		return fact{name, cell{Text: strconv.Itoa(n), Warn: n > 0, Links: []link{{Href: Root + "/stuck", Text: "Show"}}}}
	}
	alerts := v.alertTable(open, false)
	alerts.Title, alerts.Empty = "Newest alerts", "No alert is open."
	return v.show(&page{
		Title: "Overview",
		Facts: []fact{
			count("Overdue", len(stopped.Overdue)),
			count("Payouts that do not get on", len(stopped.Payouts)),
			count("Trades that do not get on", len(stopped.Trades)),
			count("Refunds that wait", len(stopped.Claims)),
			count("Charges whose money left the chain", len(stopped.Charges)),
			count("Wallets that are not watched", len(stopped.Wallets)),
		},
		Tables: []table{safe, alerts},
	})
}

func (v *visit) safeModeLinks(walletID string) []link { return v.linksOf(alert.SafeMode, walletID) }

func (v *visit) safeMode() (table, error) {
	var answer struct {
		Wallets []struct {
			WalletID string `json:"wallet_id"`
			Since    string `json:"since"`
			Reason   string `json:"reason"`
		} `json:"wallets"`
	}
	t := table{Title: "Safe mode", Columns: []string{"Wallet", "Since", "Why"}, Empty: "No wallet is in safe mode."}
	if err := v.get("/api/admin/safe-mode", &answer); err != nil {
		return t, err
	}
	for _, w := range answer.Wallets {
		t.Rows = append(t.Rows, []cell{
			{Text: w.WalletID, Warn: true, Links: v.safeModeLinks(w.WalletID)}, plain(moment(&w.Since)), plain(w.Reason),
		})
	}
	return t, nil
}

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
