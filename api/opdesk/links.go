package opdesk

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// workflow returns the link to a workflow in the Temporal UI. It returns nil for an empty
// identifier, or if the address of the UI is not configured.
func (d *Desk) workflow(id string) []link {
	if d.TemporalUI == "" || id == "" {
		return nil
	}
	return []link{{Href: d.TemporalUI + "/namespaces/" + url.PathEscape(d.Namespace) + "/workflows/" + url.PathEscape(id), Text: "Workflow"}}
}

// led returns a cell with an identifier that leads to its page, if it has one, and to its
// workflow.
func (d *Desk) led(id, workflowID string) cell {
	return cell{Text: id, Code: true, Href: pathOfID(id), Links: d.workflow(workflowID)}
}

// ownPage matches identifiers whose prefix says which page shows them, and those of merchants
// and trades, which have none.
var ownPage = regexp.MustCompile(`^(?:(ch|po|rf)_[0-9a-f]{24}|[0-9a-f]{32})$`)

// pathOfID returns the page of an identifier; empty if its form names none.
func pathOfID(id string) string {
	found := ownPage.FindStringSubmatch(id)
	switch {
	case found == nil:
		return ""
	case found[1] == "":
		return Root + "/find?text=" + id
	}
	return Root + map[string]string{"ch": "/charges/", "po": "/payouts/", "rf": "/refunds/"}[found[1]] + id
}

// runbookLink returns the link to a runbook, or nil for an empty name.
func runbookLink(name string) []link {
	if name == "" {
		return nil
	}
	return []link{{Href: Root + "/runbooks/" + name, Text: "Runbook"}}
}

// workflowOf returns the workflow of an overdue row.
func workflowOf(kind outbox.Kind, id string) string {
	return dispatch.Row{Kind: kind, ID: id}.WorkflowID()
}

// workflowOfDelivery returns the workflow that made the latest attempt of a delivery. The
// charge's workflow makes the first attempt; the delivery's own workflow makes the next ones.
func workflowOfDelivery(id, resourceID string, attempts int32) string {
	if attempts <= 1 && strings.HasPrefix(resourceID, "ch_") {
		return workflows.ChargeWorkflowID(resourceID)
	}
	return workflows.DeliveryToMerchant(id).WorkflowID()
}

// about holds the link targets of an alert.
type about struct {
	runbook string
	// workflow returns the workflow of the alert's subject; nil if it has none.
	workflow func(subject string) string
}

// aboutAlerts returns the link targets for each kind of alert.
func aboutAlerts() map[string]about {
	ofTrade := func(subject string) string {
		id, _, _ := strings.Cut(subject, "/")
		return workflows.TradeWorkflowID(id)
	}
	ofRow := func(subject string) string {
		kind, id, _ := strings.Cut(subject, "/")
		return workflowOf(outbox.Kind(kind), id)
	}
	ofPools := func(string) string { return workflows.PoolWorkflowID }
	return map[string]about{
		alert.ChargeUnbacked:       {"charge-unbacked", workflows.ChargeWorkflowID},
		alert.PaymentUnmatched:     {"unmatched-payment", nil},
		alert.WalletOlder:          {"watcher-lag", workflows.WatchWorkflowID},
		alert.SignalUndelivered:    {"watcher-lag", ofRow},
		alert.AddressMismatch:      {"address-mismatch", ofPools},
		alert.WrongChain:           {"wrong-chain", ofPools},
		alert.ViewKeyClosed:        {"watcher-lag", ofPools},
		alert.ChainUnknown:         {"watcher-lag", workflows.WatchWorkflowID},
		alert.KeyRepeated:          {"double-spend", nil},
		alert.NetworkFork:          {"network-fork", func(string) string { return workflows.OverdueWorkflowID }},
		alert.PayoutStuck:          {"payout-stuck", workflows.PayoutWorkflowID},
		alert.OwedToDeletedAccount: {"owed-to-deleted-account", workflows.ChargeWorkflowID},
		alert.TradeFailed:          {"trade-stuck", ofTrade},
		alert.TradeUnbacked:        {"trade-stuck", ofTrade},
		alert.DepositBlocked:       {"trade-stuck", ofTrade},
		alert.DepositUnscreened:    {"trade-stuck", ofTrade},
		alert.OrderUnclear:         {"swap-providers", ofTrade},
		alert.SwapUnclear:          {"swap-stuck", workflows.SwapWorkflowID},
		alert.DepositOrphaned:      {"trade-stuck", nil},
		alert.TradePaymentFailed:   {"trade-stuck", ofTrade},
		alert.TradePaymentStuck:    {"trade-stuck", ofTrade},
		alert.SendUnmatched:        {"safe-mode", nil},
		alert.SendDropped:          {"double-spend", nil},
		alert.PaymentSpent:         {"double-spend", workflows.PayoutWorkflowID},
		alert.SafeMode:             {"safe-mode", ofPools},
		alert.Overdue:              {"overdue", nil},
		alert.NodeStalled:          {"node-stalled", nil},
		alert.SanctionsRefused:     {"sanctions-list", func(string) string { return workflows.SanctionsWorkflowID() }},
		alert.SanctionsStale:       {"sanctions-list", func(string) string { return workflows.SanctionsWorkflowID() }},
	}
}

func (d *Desk) linksOf(kind, subject string) []link {
	where, known := aboutAlerts()[kind]
	if !known {
		return nil
	}
	links := runbookLink(where.runbook)
	if where.workflow != nil {
		links = append(links, d.workflow(where.workflow(subject))...)
	}
	return links
}
