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
