package deploy_test

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/durapay/durapay/internal/telemetry"
)

// exposed returns the names of all series that the services expose, and their labels. It uses
// every metric once to find them.
func exposed(t *testing.T) (names, labels map[string]bool) {
	t.Helper()
	m := telemetry.NewMetrics()
	m.Delivered("charge.pending", time.Second)
	m.WatcherScanned("live", 0, time.Now())
	m.NewestBlock("live", time.Now())
	m.PublisherReliable("live", true)
	m.AddressPool("live", 1)
	m.Deliveries.WithLabelValues("delivered").Inc()
	m.TradeDeliveries.WithLabelValues("delivered").Inc()
	m.Payouts.WithLabelValues("broadcast").Inc()
	m.HTTPRequest("/", 200, time.Second)
	m.WalletCall("live", "get_height", errors.New("down"))
	m.ProxyUp(true)
	m.ForkDays(1, true)
	m.ProviderQuote("x", "ok")
	temporal := m.Temporal().WithTags(map[string]string{"workflow_type": "Charge", "task_queue": "merchant", "worker_type": "ActivityWorker"})
	temporal.Counter("temporal_workflow_failed").Inc(1)
	temporal.Counter("temporal_workflow_task_execution_failed").Inc(1)
	temporal.Gauge("temporal_worker_task_slots_available").Update(1)
	temporal.Timer("temporal_workflow_task_schedule_to_start_latency").Record(time.Second)
	temporal.Timer("temporal_activity_schedule_to_start_latency").Record(time.Second)
	counts := func(context.Context) (map[string]int64, error) { return map[string]int64{"x": 1}, nil }
	m.Charges(counts)
	m.Wakeups(counts)
	m.BusinessNotices(counts)
	m.Mails.WithLabelValues("business", "sent").Inc()
	m.Alerts(counts)
	m.Backups(counts)
	m.AddressesHandedOut(counts)
	m.Trades(counts)
	m.Inventory(func(context.Context) (telemetry.Holdings, error) { return telemetry.Holdings{"x": {"total": {}}}, nil })
	families, err := m.Registry().Gather()
	require.NoError(t, err)
	names, labels = map[string]bool{}, map[string]bool{"le": true, "job": true, "instance": true}
	for _, f := range families {
		names[f.GetName()] = true
		if f.GetMetric()[0].GetHistogram() != nil {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				names[f.GetName()+suffix] = true
			}
		}
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels[l.GetName()] = true
		}
	}
	return names, labels
}

// requireExposed checks that the metrics and labels of an expression exist.
func requireExposed(t *testing.T, expr string) {
	t.Helper()
	names, labels := exposed(t)
	found := regexp.MustCompile(`\b(durapay|process|go)_\w+`).FindAllString(expr, -1)
	if len(found) == 0 {
		require.Contains(t, expr, "up{", "an expression without a metric")
	}
	for _, name := range found {
		require.True(t, names[name], "%s does not exist: %s", name, expr)
	}
	for _, group := range regexp.MustCompile(`\b(?:by|on|without) \(([^)]*)\)`).FindAllStringSubmatch(expr, -1) {
		for label := range strings.SplitSeq(group[1], ",") {
			require.True(t, labels[strings.TrimSpace(label)], "no label %s: %s", label, expr)
		}
	}
	for _, label := range regexp.MustCompile(`[{,](\w+)(?:=|!=)~?"`).FindAllStringSubmatch(expr, -1) {
		require.True(t, labels[label[1]], "no label %s: %s", label[1], expr)
	}
	require.Equal(t, strings.Count(expr, "("), strings.Count(expr, ")"), expr)
}

func TestDashboardShowsMetricsThatExist(t *testing.T) {
	t.Parallel()
	var dashboard struct {
		Panels []struct {
			ID      int    `json:"id"`
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, "dashboards/durapay.json")), &dashboard))
	var all strings.Builder
	ids := map[int]bool{}
	for _, p := range dashboard.Panels {
		require.False(t, ids[p.ID], "panel %d is there twice", p.ID)
		ids[p.ID] = true
		require.NotEmpty(t, p.Targets, p.Title)
		for _, target := range p.Targets {
			requireExposed(t, target.Expr)
			all.WriteString(target.Expr + "\n")
		}
	}
	names, _ := exposed(t)
	for name := range names {
		if strings.HasPrefix(name, "durapay_") && !strings.HasSuffix(name, "_sum") && !strings.HasSuffix(name, "_count") {
			require.Contains(t, all.String(), strings.TrimSuffix(name, "_bucket"), "no panel shows it")
		}
	}
}

type rule struct {
	Alert       string
	Expr        string
	For         string
	Labels      map[string]string
	Annotations map[string]string
}

func rules(t *testing.T) []rule {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string
			Rules []rule
		}
	}
	decoder := yaml.NewDecoder(strings.NewReader(read(t, "dashboards/alerts.yml")))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&file))
	require.Len(t, file.Groups, 1)
	return file.Groups[0].Rules
}

func TestAlertsWatchMetricsThatExist(t *testing.T) {
	t.Parallel()
	seen, kinds := map[string]bool{}, map[string]bool{}
	for _, r := range rules(t) {
		require.False(t, seen[r.Alert], r.Alert)
		seen[r.Alert] = true
		requireExposed(t, r.Expr)
		require.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], r.Alert)
		require.NotEmpty(t, r.Annotations["summary"], r.Alert)
		require.FileExists(t, filepath.Join(root, r.Annotations["runbook"]), r.Alert)
		if r.For != "" {
			_, err := time.ParseDuration(r.For)
			require.NoError(t, err, r.Alert)
		}
		for _, kind := range regexp.MustCompile(`durapay_alerts\w*\{[^}]*kind="(\w+)"`).FindAllStringSubmatch(r.Expr, -1) {
			kinds[kind[1]] = true
		}
	}
	for _, kind := range alertKinds(t) {
		require.True(t, kinds[kind], "no rule for the notices of kind %s", kind)
		delete(kinds, kind)
	}
	require.Empty(t, kinds, "rules for kinds that do not exist")
}

// alertKinds returns the kinds of alerts, read from the source of the package that names them.
func alertKinds(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "internal/alert/alert.go"), nil, parser.ParseComments)
	require.NoError(t, err)
	var kinds []string
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || !strings.HasPrefix(group.Doc.Text(), "Kinds of alerts") {
			continue
		}
		for _, spec := range group.Specs {
			literal := spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit)
			kinds = append(kinds, strings.Trim(literal.Value, `"`))
		}
	}
	require.NotEmpty(t, kinds)
	return kinds
}

// TestRunbooks checks that each runbook explains the meaning, the places to check and the
// steps, and that everything it names exists.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("runbooks/*.md")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 8)
	attributes := searchAttributes()
	services := project(t, chosen()...).ServiceNames()
	for _, file := range files {
		text := read(t, file)
		if filepath.Base(file) == "README.md" {
			continue
		}
		for _, part := range []string{"## What it means", "## Where to look", "## What to do"} {
			require.Contains(t, text, part, file)
		}
		names, _ := exposed(t)
		for _, name := range regexp.MustCompile(`durapay_[a-z_]+`).FindAllString(text, -1) {
			require.True(t, names[name], "%s: %s", file, name)
		}
		for _, query := range regexp.MustCompile(`\b([A-Z][A-Za-z]+) ?= ?(?:"|true)`).FindAllStringSubmatch(text, -1) {
			standard := slices.Contains([]string{"WorkflowId", "WorkflowType", "ExecutionStatus", "TaskQueue"}, query[1])
			require.True(t, standard || attributes[query[1]] != "", "%s: search attribute %s", file, query[1])
		}
		for _, service := range regexp.MustCompile(`docker compose (?:restart|logs|stop|start|exec) (?:--since \S+ )?([a-z-]+)`).FindAllStringSubmatch(text, -1) {
			require.Contains(t, services, service[1], file)
		}
		for _, kind := range regexp.MustCompile(`kind = '(\w+)'`).FindAllStringSubmatch(text, -1) {
			require.Contains(t, alertKinds(t), kind[1], file)
		}
	}
}
