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
func (b *bench) transitions(ctx context.Context) error {
	events := []string{ourEvent, "charge.pending", "charge.confirmed"}
	s, err := b.testbed.openShop(ctx, events, transitionPaths...)
	if err != nil {
		return err
	}
	id, err := s.paidAndConfirmed(ctx, events)
	if err != nil {
		return err
	}
	c, err := dialTemporal(ctx, b.testbed.URLs["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	defer c.Close()
	ofCharge, err := transitionsOf(ctx, c, workflows.ChargeWorkflowID(id))
	if err != nil {
		return err
	}
	deliveries, err := b.testbed.deliveriesOf(ctx, id)
	if err != nil {
		return err
	}
	ofDeliveries := int64(0)
	for _, delivery := range deliveries {
		n, err := transitionsOf(ctx, c, workflows.DeliveryToMerchant(delivery).WorkflowID())
		if err != nil {
			return err
		}
		ofDeliveries += n
	}
	b.table.add(row{
		measure:   "state transitions of a charge: created, paid, confirmed, two receivers of three events",
		value:     fmt.Sprintf("%d, of them %d of the charge's run", ofCharge+ofDeliveries, ofCharge),
		reference: fmt.Sprintf("%d deliveries", len(deliveries)),
		bar:       fmt.Sprintf("≤ %d", transitionBar), met: ofCharge+ofDeliveries <= transitionBar,
	})
	return nil
}

// paidAndConfirmed makes a charge and confirms its payment; each receiver gets every event.
func (s *shop) paidAndConfirmed(ctx context.Context, events []string) (string, error) {
	charges, err := s.charges(ctx, 1)
	if err != nil {
		return "", err
	}
	tx, err := s.sign(ctx, charges)
	if err != nil {
		return "", err
	}
	for n, step := range []func() error{
		func() error { return nil },
		func() error { return s.testbed.broadcast(ctx, tx) },
		func() error { return s.testbed.Chain.Mine(ctx, confirmingBlocks) },
	} {
		if err := step(); err != nil {
			return "", err
		}
		for _, path := range transitionPaths {
			if _, err := arrived(ctx, s.testbed.Hooks, event(path, events[n], charges[0].ID)); err != nil {
				return "", err
			}
		}
	}
	return charges[0].ID, nil
}

// confirmingBlocks are more than a charge of the bench waits for.
const confirmingBlocks = 12

// deliveriesOf are the deliveries of a charge's events.
func (w *testbed) deliveriesOf(ctx context.Context, chargeID string) ([]string, error) {
	var ids []string
	err := w.db.QueryRow(ctx, `SELECT array_agg(d.id) FROM deliveries d JOIN events e ON e.id = d.event_id
		WHERE e.resource_id = $1`, chargeID).Scan(&ids)
	return ids, err
}

// transitionsOf is how many state transitions a workflow has had, once it has
// ended; 0 when there is none.
func transitionsOf(ctx context.Context, c client.Client, id string) (int64, error) {
	err := c.GetWorkflow(ctx, id, "").Get(ctx, nil)
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", id, err)
	}
	for {
		described, err := c.DescribeWorkflowExecution(ctx, id, "")
		if err != nil {
			return 0, fmt.Errorf("%s: %w", id, err)
		}
		info := described.GetWorkflowExecutionInfo()
		if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
			return info.GetStateTransitionCount(), nil
		}
		if err := fixture.Pause(ctx, time.Second); err != nil {
			return 0, err
		}
	}
}
