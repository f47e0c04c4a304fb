package opdesk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/outbox"
)

// TestAlertsLeadToTheirRunbooks compares the desk's runbooks with those in the alert rules of
// the metrics.
func TestAlertsLeadToTheirRunbooks(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../../deploy/dashboards/alerts.yml")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?s)durapay_alerts\{kind="([a-z_]+)"\}.*?runbook: deploy/runbooks/([a-z-]+)\.md`).FindAllStringSubmatch(string(rules), -1)
	require.Len(t, found, len(aboutAlerts()))
	for _, rule := range found {
		require.Equal(t, rule[2], aboutAlerts()[rule[1]].runbook, rule[1])
		_, there := deploy.Runbook(rule[2])
		require.True(t, there, rule[2])
	}
}

// kindsInCode returns the kinds of alerts by the name in the code, each with whether its
// subject has a workflow: a charge, a payout, a trade, a swap, a wallet or a sanctions list.
func kindsInCode(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../internal/alert/alert.go", nil, parser.ParseComments)
	require.NoError(t, err)
	hasWorkflow := regexp.MustCompile(`subject is (the (charge|payout|trade|swap|wallet)|SanctionsSubject)`)
	kinds := map[string]bool{}
	for _, d := range file.Decls {
		group, is := d.(*ast.GenDecl)
		if !is || group.Tok != token.CONST || !group.Lparen.IsValid() {
			continue
		}
		for _, s := range group.Specs {
			value := s.(*ast.ValueSpec)
			kind, err := strconv.Unquote(value.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			kinds[kind] = hasWorkflow.MatchString(strings.Join(strings.Fields(value.Doc.Text()), " "))
		}
	}
	require.Greater(t, len(kinds), 20)
	return kinds
}

func TestEveryKindOfAlertLeadsOn(t *testing.T) {
	t.Parallel()
	d := &Desk{Deps: Deps{TemporalUI: "http://ui.example"}}
	kinds := kindsInCode(t)
	require.ElementsMatch(t, slices.Collect(maps.Keys(kinds)), slices.Collect(maps.Keys(aboutAlerts())))
	for kind, hasWorkflow := range kinds {
		_, there := deploy.Runbook(aboutAlerts()[kind].runbook)
		require.True(t, there, kind)
		if hasWorkflow {
			require.True(t, leadsTo(d.linksOf(kind, "subject"), "/workflows/"), kind)
		}
	}
}

// TestEverythingThatIsStuckLeadsOn checks that each table links to its runbook and each row to
// its workflow. There is one table for each list in the API's answer.
func TestEverythingThatIsStuckLeadsOn(t *testing.T) {
	t.Parallel()
	var answer operator.Stuck
	lists := reflect.ValueOf(&answer).Elem()
	for _, list := range lists.Fields() {
		row := reflect.New(list.Type().Elem()).Elem()
		for _, f := range row.Fields() {
			if f.Kind() == reflect.String {
				f.SetString("x")
			}
		}
		list.Set(reflect.Append(list, row))
	}
	answer.Overdue = answer.Overdue[:0:0]
	for _, kind := range outbox.OverdueKinds() {
		answer.Overdue = append(answer.Overdue, operator.OverdueItem{Kind: kind, ID: "x"})
	}
	v := &visit{Desk: &Desk{Deps: Deps{TemporalUI: "http://ui.example"}}}
	tables := v.stuckTables(answer)
	require.Len(t, tables, lists.NumField())
	for _, table := range tables {
		require.True(t, leadsTo(table.Links, Root+"/runbooks/"), table.Title)
		require.NotEmpty(t, table.Rows, table.Title)
		for _, row := range table.Rows {
			require.True(t, slices.ContainsFunc(row, func(c cell) bool { return leadsTo(c.Links, "/workflows/") }), "%s: %v", table.Title, row)
		}
	}
}

func leadsTo(links []link, part string) bool {
	return slices.ContainsFunc(links, func(l link) bool { return strings.Contains(l.Href, part) })
}

func TestAlertsLeadToTheirWorkflows(t *testing.T) {
	t.Parallel()
	d := &Desk{Deps: Deps{TemporalUI: "http://ui.example", Namespace: "pay & go"}}
	for subject, want := range map[[2]string]string{
		{"charge_unbacked", "ch_1"}:            "charge-ch_1",
		{"signal_undelivered", "charges/ch_1"}: "charge-ch_1",
		{"signal_undelivered", "trades/abc"}:   "trade-abc",
		{"trade_payment_failed", "abc/7"}:      "trade-abc",
		{"wallet_older", "ltc-Mainnet"}:        "watch-ltc-Mainnet",
		{"swap_unclear", "sw_1"}:               "swap-sw_1",
		{"payout_stuck", "po_1/../../evil"}:    "payout-po_1%2F..%2F..%2Fevil",
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
	for _, next := range []string{
		"", "/", "https://evil.example/operator/", "//evil.example/operator/", "/operator", "/api/admin/merchants", "\\\\evil.example", "/operator/\\evil",
		"/operator/\r\nSet-Cookie: x=y", "javascript:alert(1)",
	} {
		require.Equal(t, "/operator/", pathAfterLogIn(next), next)
	}
}
