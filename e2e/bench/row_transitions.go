package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/workflows"
)

// ourEvent is the first event that a receiver gets of a charge.
const ourEvent = "charge.created"

// transitionBar is seven tenths of what the first version of this row counted, 87.
const transitionBar = 60

// transitionPaths are the receivers of the counted charge.
var transitionPaths = []string{"/counted/0", "/counted/1"} //nolint:gochecknoglobals // a constant list

// transitions counts what a charge costs Temporal: the state transitions of its
// run, and of the runs of those deliveries that have one, from the creation to the
// end, with two receivers of three events.
func (b *bench) transitions(ctx context.Context) {
	events := []string{ourEvent, "charge.pending", "charge.confirmed"}
	s := b.testbed.openShop(ctx, events, transitionPaths...)
	id := s.paidAndConfirmed(ctx, events)
	c := fixture.Must(dialTemporal(ctx, b.testbed.URLs["TEMPORAL_ADDRESS"]))
	defer c.Close()
	ofCharge := transitionsOf(ctx, c, workflows.ChargeWorkflowID(id))
	deliveries := value[[]string](ctx, b.testbed, `SELECT array_agg(d.id) FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE e.resource_id = $1`, id)
	ofDeliveries := int64(0)
	for _, delivery := range deliveries {
		id := workflows.DeliveryToMerchant(delivery).WorkflowID()
		fixture.Named(id, func() { ofDeliveries += transitionsOf(ctx, c, id) })
	}
	b.table.add(row{
		measure:   "state transitions of a charge: created, paid, confirmed, two receivers of three events",
		value:     fmt.Sprintf("%d, of them %d of the charge's run", ofCharge+ofDeliveries, ofCharge),
		reference: fmt.Sprintf("%d deliveries", len(deliveries)),
		bar:       fmt.Sprintf("≤ %d", transitionBar), met: ofCharge+ofDeliveries <= transitionBar,
	})
}

// paidAndConfirmed makes a charge and confirms its payment; each receiver gets every event.
func (s *shop) paidAndConfirmed(ctx context.Context, events []string) string {
	charges := s.charges(ctx, 1)
	tx := s.sign(ctx, charges)
	for n, step := range []func() error{
		func() error { return nil },
		func() error { return s.testbed.broadcast(ctx, tx) },
		func() error { return s.testbed.Chain.Mine(ctx, confirmingBlocks) },
	} {
		fixture.Do(step())
		for _, path := range transitionPaths {
			arrived(ctx, s.testbed.Hooks, event(path, events[n], charges[0].ID))
		}
	}
	return charges[0].ID
}

// confirmingBlocks are more than a charge of the bench waits for.
const confirmingBlocks = 12

// transitionsOf is how many state transitions a workflow has had, once it has
// ended; 0 when there is none.
func transitionsOf(ctx context.Context, c client.Client, id string) int64 {
	err := c.GetWorkflow(ctx, id, "").Get(ctx, nil)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return 0
	}
	fixture.Do(err)
	for {
		info := fixture.Must(c.DescribeWorkflowExecution(ctx, id, "")).GetWorkflowExecutionInfo()
		if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return info.GetStateTransitionCount()
		}
		fixture.Do(fixture.Pause(ctx, time.Second))
	}
}
