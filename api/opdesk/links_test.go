package opdesk

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/runbooks"
)

// TestAlertsLeadToTheirRunbooks compares what the desk says with what the alerts of
// the metrics say.
func TestAlertsLeadToTheirRunbooks(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../deploy/dashboards/alerts.yml")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)durapay_alerts\{kind="([a-z_]+)"\}.*?runbook: deploy/runbooks/([a-z-]+)\.md`).FindAllStringSubmatch(string(rules), -1)
	require.Len(t, found, len(aboutAlerts()))
	for _, rule := range found {
		require.Equal(t, rule[2], aboutAlerts()[rule[1]].runbook, rule[1])
		_, there := runbooks.Text(rule[2])
		require.True(t, there, rule[2])
	}
}

func TestAlertsLeadToTheirWorkflows(t *testing.T) {
	t.Parallel()
	d := &Desk{Deps: Deps{TemporalUI: "http://ui.example", Namespace: "pay & go"}}
	for subject, want := range map[[2]string]string{
		{"charge_unbacked", "ch_1"}:         "charge-ch_1",
		{"signal_undelivered", "ch_1"}:      "charge-ch_1",
		{"signal_undelivered", "abc"}:       "trade-abc",
		{"trade_payment_failed", "abc/7"}:   "trade-abc",
		{"wallet_older", "live"}:            "watch-live",
		{"swap_unclear", "sw_1"}:            "swap-sw_1",
		{"payout_stuck", "po_1/../../evil"}: "payout-po_1%2F..%2F..%2Fevil",
	} {
		links := d.linksOf(subject[0], subject[1])
		require.Equal(t, "http://ui.example/namespaces/pay%20&%20go/workflows/"+want, links[len(links)-1].Href)
	}
	require.Len(t, d.linksOf("payment_unmatched", "x:1"), 1, "no workflow is about it")
	require.Empty(t, d.linksOf("of tomorrow", "x"))
	d.TemporalUI = ""
	require.Len(t, d.linksOf("charge_unbacked", "ch_1"), 1, "nobody says where the UI is")
}

func TestALoginLeadsToPagesOfTheDeskAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/operator/alerts?status=resolved", pathAfterLogIn("/operator/alerts?status=resolved"))
	for _, wanted := range []string{
		"", "/", "https://evil.example/operator/", "//evil.example/operator/", "/operator", "/api/admin/merchants", "\\\\evil.example", "/operator/\\evil",
		"/operator/\r\nSet-Cookie: x=y", "javascript:alert(1)",
	} {
		require.Equal(t, "/operator/", pathAfterLogIn(wanted), wanted)
	}
}
