package opdesk

import (
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/workflows"
)

// health shows how nodes, wallets, books, the outbox and backups stand.
func (v *visit) health() error {
	return show(v, "/health", func(h operator.Health) *page {
		return &page{
			Title: "Health", Text: "As workers last saw it. Nodes are asked every minute, balances every ten minutes.",
			Facts: []fact{
				{"Problems", problems(h.Problems)}, {"Version", plain(h.Version)},
				{"Open alerts", cell{Text: fmt.Sprint(h.Alerts), Warn: h.Alerts > 0, Links: []link{{Href: Root + "/alerts", Text: "Show"}}}},
				{"Last backup", cell{Text: moment(h.BackupAt), Warn: h.BackupAt == nil}}, {"Forks that the node does not know", v.forks(h.Forks)},
			},
			Tables: []table{v.nodeTable(h.Wallets), bookTable(h.Wallets), queueTable(h.Queue)},
		}
	})
}

// problems returns all problems in one cell.
func problems(all []string) cell {
	if len(all) == 0 {
		return cell{Text: "none", Good: true}
	}
	return cell{Text: strings.Join(all, "; "), Warn: true}
}

func (v *visit) forks(forks []operator.Alert) cell {
	if len(forks) == 0 {
		return cell{Text: "none", Good: true}
	}
	return cell{Text: forks[0].Subject + ": " + forks[0].Detail, Warn: true, Links: runbookLink("network-fork")}
}

func (v *visit) nodeTable(wallets []operator.WalletHealth) table {
	t := table{Title: "Nodes and wallets", Columns: []string{"Wallet", "Scanned to", "Node", "Newest block", "Problems"}, Empty: "There is no wallet."}
	return fill(t, wallets, func(w operator.WalletHealth) []cell {
		node := "not known"
		if w.NodeAt != nil {
			node = fmt.Sprintf("%d, asked %s", w.NodeHeight, moment(w.NodeAt))
		}
		if w.NodeTarget > w.NodeHeight {
			node += fmt.Sprintf(", of %d", w.NodeTarget)
		}
		return []cell{
			{Text: w.WalletID + ", " + w.Holds, Links: v.workflow(workflows.WatchWorkflowID(w.ChainID))},
			plain(fmt.Sprintf("%d, %s", w.Height, moment(w.ScannedAt))), plain(node), plain(moment(w.NewestBlock)), problems(w.Problems),
		}
	})
}

func bookTable(wallets []operator.WalletHealth) table {
	t := table{
		Title: "Balances against the books", Text: "A wallet must hold at least what the books say: payments in no payout, or inventory reserved for trades.",
		Columns: []string{"Wallet", "Holds", "Books", "Difference", "Read"}, Empty: "There is no wallet.",
	}
	return fill(t, wallets, func(w operator.WalletHealth) []cell {
		difference := plain("–")
		if w.Balance != nil && w.Owed != nil {
			over := w.Balance.Sub(*w.Owed)
			difference = cell{Text: over.String(), Warn: over.Sign() < 0}
		}
		return []cell{plain(w.WalletID), plain(amountOrDash(w.Balance)), plain(amountOrDash(w.Owed)), difference, plain(moment(w.BalanceAt))}
	})
}

func queueTable(queue []operator.QueueHealth) table {
	t := table{Title: "Outbox", Text: "Changed rows whose workflows are not woken yet.", Columns: []string{"Kind", "Rows", "Oldest"}, Empty: "Nothing waits."}
	return fill(t, queue, func(q operator.QueueHealth) []cell {
		return []cell{plain(q.Kind), plain(fmt.Sprint(q.Rows)), plain(moment(&q.Oldest))}
	})
}

func amountOrDash(amount *money.Decimal) string { return dash(textOf(amount)) }
