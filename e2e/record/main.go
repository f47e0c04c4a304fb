// Command record saves the histories of the running development stack's
// workflows, one of each kind, for the replay tests: run it after make demo when a
// workflow's commands were changed on purpose.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/temporalproto"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/secret"
)

// kinds are the executions worth keeping: a name and the query that finds one.
func kinds() map[string]string {
	const closed = " AND ExecutionStatus = 'Completed'"
	return map[string]string{
		"charge-confirmed": "WorkflowType = 'Charge' AND ChargeStatus = 'confirmed'" + closed,
		"charge-expired":   "WorkflowType = 'Charge' AND ChargeStatus = 'expired'" + closed,
		"payout-confirmed": "WorkflowType = 'Payout' AND PayoutStatus = 'confirmed'" + closed,
		"payout-swapped":   "WorkflowType = 'Payout' AND PayoutStatus = 'confirmed'" + closed,
		"delivery":         "WorkflowType = 'Delivery' AND WorkflowId STARTS_WITH 'webhook-' AND DeliveryStatus = 'delivered'" + closed,
		"delivery-failed":  "WorkflowType = 'Delivery' AND WorkflowId STARTS_WITH 'webhook-' AND DeliveryStatus = 'failed'" + closed,
		"delivery-partner": "WorkflowType = 'Delivery' AND WorkflowId STARTS_WITH 'trade-event-' AND DeliveryStatus = 'delivered'" + closed,
		"mail":             "WorkflowType = 'Mail'" + closed,
		"refund":           "WorkflowType = 'Refund'" + closed,
		"retention":        "WorkflowType = 'Retention'" + closed,
		"trade-completed":  "WorkflowType = 'Trade' AND TradeStatus = 'completed'" + closed,
		"trade-expired":    "WorkflowType = 'Trade' AND TradeStatus = 'expired'" + closed,
		"trade-refunded":   "WorkflowType = 'Trade' AND TradeStatus = 'refunded'" + closed,
		"swap-finished":    "WorkflowType = 'Swap' AND SwapStatus = 'finished'" + closed,
		"swap-failed":      "WorkflowType = 'Swap' AND SwapStatus = 'failed'" + closed,
		"swap-refunded":    "WorkflowType = 'Swap' AND SwapStatus = 'refunded'" + closed,
		// It never ends; an unfinished history replays as well.
		"watch": "WorkflowType = 'Watch'",
	}
}

// marks are activities that distinguish executions of one query: executions of this
// kind have the activity, and those of other kinds have none of these.
func marks() map[string]string {
	return map[string]string{"payout-swapped": "OrderPayoutSwap"}
}

func main() {
	if err := fixture.Try(func() { run(context.Background()) }); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) {
	codec := fixture.Must(secret.NewPayloadCodec(secret.Payloads.KeysetFile(filepath.Join(".dev", "secrets"))))
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), Namespace: os.Getenv("TEMPORAL_NAMESPACE")})
	if err != nil {
		fixture.Failf("temporal (source .dev/env first): %w", err)
	}
	defer c.Close()
	for name, query := range kinds() {
		fixture.Named(name, func() { save(ctx, c, codec, name, query) })
	}
}

func save(ctx context.Context, c client.Client, codec converter.PayloadCodec, name, query string) {
	found := fixture.Must(c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: 50}))
	at, history := choose(ctx, c, name, found.GetExecutions())
	if history == nil {
		fmt.Println(name, "has no execution to save")
		return
	}
	decode(ctx, codec, history)
	text := fixture.Must(temporalproto.CustomJSONMarshalOptions{Indent: "  "}.Marshal(history))
	fmt.Println(name, at.GetWorkflowId(), len(history.GetEvents()), "events")
	folder := filepath.Join("workflows", "testdata", "current")
	fixture.Do(os.MkdirAll(folder, 0o755))                                                   //nolint:gosec // a folder of the repository
	fixture.Do(os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644)) //nolint:gosec // a file of the repository
}

// choose reads the execution that tells most: a trade that has ended can have
// short further runs. It is nil when none is of the kind.
func choose(ctx context.Context, c client.Client, name string, found []*workflowpb.WorkflowExecutionInfo) (*commonpb.WorkflowExecution, *historypb.History) {
	slices.SortFunc(found, func(a, b *workflowpb.WorkflowExecutionInfo) int {
		return cmp.Compare(b.GetHistoryLength(), a.GetHistoryLength())
	})
	for _, execution := range found {
		at, history := execution.GetExecution(), &historypb.History{}
		events := c.GetWorkflowHistory(ctx, at.GetWorkflowId(), at.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			history.Events = append(history.Events, fixture.Must(events.Next()))
		}
		if ofKind(name, history) {
			return at, history
		}
	}
	return nil, nil
}

// ofKind reports whether a history has the mark of its kind, and no mark of another kind.
func ofKind(name string, history *historypb.History) bool {
	for kind, mark := range marks() {
		has := slices.ContainsFunc(history.GetEvents(), func(e *historypb.HistoryEvent) bool {
			return e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == mark
		})
		if has != (kind == name) {
			return false
		}
	}
	return true
}

func decode(ctx context.Context, codec converter.PayloadCodec, history *historypb.History) {
	for _, event := range history.GetEvents() {
		fixture.Do(proxy.VisitPayloads(ctx, event, proxy.VisitPayloadsOptions{
			SkipSearchAttributes: true,
			Visitor: func(_ *proxy.VisitPayloadsContext, payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
				return codec.Decode(payloads)
			},
		}))
	}
}
