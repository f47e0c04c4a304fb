package opdesk

import (
	"strconv"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/operator"
)

// overview shows the tasks that need an operator first.
func (v *visit) overview() error {
	safe, err := v.safeMode()
	if err != nil {
		return err
	}
	var stopped operator.Stuck
	if err := v.get("/api/admin/stuck", &stopped); err != nil {
		return err
	}
	var open operator.Alerts
	if err := v.get("/api/admin/alerts?limit=20", &open); err != nil {
		return err
	}
	var state operator.Health
	if err := v.get("/api/admin/health", &state); err != nil {
		return err
	}
	healthy := problems(state.Problems)
	healthy.Links = []link{{Href: Root + "/health", Text: "Show"}}
	count := func(name string, n int) fact {
		return fact{name, cell{Text: strconv.Itoa(n), Warn: n > 0, Links: []link{{Href: Root + "/stuck", Text: "Show"}}}}
	}
	alerts := v.alertTable(open, false)
	alerts.Title, alerts.Empty = "Newest alerts", "No alert is open."
	return v.show(&page{
		Title: "Overview", Finds: true,
		Facts: []fact{
			{"Problems", healthy},
			count("Overdue", len(stopped.Overdue)),
			count("Stuck payouts", len(stopped.Payouts)),
			count("Stuck trades", len(stopped.Trades)),
			count("Waiting refunds", len(stopped.Claims)),
			count("Charges whose money left the chain", len(stopped.Charges)),
			count("Wallets not watched", len(stopped.Wallets)),
		},
		Tables: []table{safe, alerts},
	})
}

func (v *visit) safeModeLinks(walletID string) []link { return v.linksOf(alert.SafeMode, walletID) }

func (v *visit) safeMode() (table, error) {
	var answer operator.SafeWallets
	t := table{Title: "Safe mode", Columns: []string{"Wallet", "Since", "Why"}, Empty: "No wallet is in safe mode."}
	if err := v.get("/api/admin/safe-mode", &answer); err != nil {
		return t, err
	}
	return fill(t, answer.Wallets, func(w operator.SafeWallet) []cell {
		return []cell{{Text: w.WalletID, Warn: true, Links: v.safeModeLinks(w.WalletID)}, plain(moment(&w.Since)), plain(w.Reason)}
	}), nil
}

// inventory shows the balances of the exchange's wallets.
func (v *visit) inventory() error {
	return show(v, "/inventory", func(answer operator.Inventory) *page {
		t := table{Columns: []string{"Coin", "Total", "Spendable", "Reserved", "Of that without a deposit", "As of", "Wallet"}, Empty: "There is no exchange."}
		t = fill(t, answer.Holdings, func(h operator.Holding) []cell {
			wallet := cell{Text: h.WalletID}
			if h.SafeMode {
				wallet = cell{Text: h.WalletID + ", in safe mode", Warn: true, Links: v.safeModeLinks(h.WalletID)}
			}
			return []cell{
				plain(h.Ticker + " " + h.Network), plain(h.Total.String()), plain(h.Unlocked.String()), plain(h.Reserved.String()),
				plain(h.Unfunded.String()), plain(moment(h.CurrentAt)), wallet,
			}
		})
		return &page{Title: "Inventory", Text: "What the exchange holds, in whole coins.", Tables: []table{t}}
	})
}
