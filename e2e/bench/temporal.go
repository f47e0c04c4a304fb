package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// The reference of a charge's creation: the same call of Temporal, with a
// workflow that does nothing.
const (
	temporalQueue  = "bench"
	temporalUpdate = "begin"
	// temporalPollers are enough for Temporal to be the bottleneck.
	temporalPollers = 16
)

// nothing answers its update and ends.
func nothing(ctx workflow.Context) error {
	done := false
	err := workflow.SetUpdateHandler(ctx, temporalUpdate, func(workflow.Context) error {
		done = true
		return nil
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return done })
}

// empty ends at once.
func empty(workflow.Context) error { return nil }

// startEmpty is a bare start: it returns once Temporal has the workflow.
func startEmpty(ctx context.Context, c client.Client) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "bench-" + rand.Text(), TaskQueue: temporalQueue}, empty)
	return err
}

func dialTemporal(ctx context.Context, address string) (client.Client, error) {
	c, err := client.DialContext(ctx, client.Options{
		HostPort: address, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return nil, fmt.Errorf("temporal: %w", err)
	}
	return c, nil
}

// serveTemporal is the worker of the reference.
func serveTemporal(ctx context.Context, address string) error {
	c, err := dialTemporal(ctx, address)
	if err != nil {
		return err
	}
	defer c.Close()
	w := worker.New(c, temporalQueue, worker.Options{MaxConcurrentWorkflowTaskPollers: temporalPollers})
	w.RegisterWorkflow(nothing)
	w.RegisterWorkflow(empty)
	if err := w.Start(); err != nil {
		return fmt.Errorf("temporal: %w", err)
	}
	defer w.Stop()
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}

// beginNothing is one call of the reference.
func beginNothing(ctx context.Context, c client.Client) error {
	op := c.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: "bench-" + rand.Text(), TaskQueue: temporalQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, nothing)
	handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: op,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateName: temporalUpdate, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}
