package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/e2e/fixture"
)

// childCommand is the hidden first argument of this program's children. The
// references run in processes of their own, as the services do, so that both
// sides share the processors in the same way.
const childCommand = "child"

// withChild does something while a process of this program serves a reference. It gets the
// line with which the process reports that it is ready. The process ends when its standard
// input does, so also with this process.
func withChild(ctx context.Context, args []string, do func(says string)) {
	cmd := exec.CommandContext(ctx, fixture.Must(os.Executable()), append([]string{childCommand}, args...)...)
	cmd.Stderr = os.Stderr
	stdin, stdout := fixture.Must(cmd.StdinPipe()), fixture.Must(cmd.StdoutPipe())
	fixture.Do(cmd.Start())
	fixture.Finally(func() {
		line, err := bufio.NewReader(stdout).ReadString('\n')
		if err != nil {
			fixture.Failf("child %s is not ready: %w", args[0], err)
		}
		do(strings.TrimSpace(line))
	}, stdin.Close, cmd.Wait)
}

func runChild(ctx context.Context, args []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent
		cancel()
	}()
	switch args[0] {
	case "temporal":
		return serveTemporal(ctx, args[1])
	case "reader":
		return serveReader(ctx, args[1])
	case "writer":
		return serveWriter(ctx, args[1], args[2])
	case "answer":
		return serveAnswer(ctx, args[1])
	default:
		return fmt.Errorf("unknown child %q", args[0])
	}
}

// serveReference serves until ctx ends, on a port that it tells first.
func serveReference(ctx context.Context, handler http.Handler) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("reference: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { <-ctx.Done(); _ = server.Close() }()
	fmt.Println("http://" + listener.Addr().String())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

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

func empty(workflow.Context) error { return nil }

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

// engine is bare Temporal: the same server, with a worker of its own whose workflows do
// nothing.
type engine struct {
	client client.Client
	// usual is how long it takes to answer while nothing else is done.
	usual time.Duration
}

const (
	// probes are so many calls in a row that show that Temporal has nothing else to do; the
	// middle one may take idleTimes of the usual time.
	probes    = 5
	idleTimes = 2
	// idleAtMost is how long one waits for it.
	idleAtMost = 45 * time.Second
)

// withEngine does something while the worker runs.
func (w *testbed) withEngine(ctx context.Context, do func(*engine)) {
	withChild(ctx, []string{"temporal", w.URLs["TEMPORAL_ADDRESS"]}, func(string) {
		e := &engine{client: fixture.Must(dialTemporal(ctx, w.URLs["TEMPORAL_ADDRESS"]))}
		defer e.client.Close()
		e.usual = percentile(times(ctx, 2*probes, e.begin)[probes:], 50)
		do(e)
	})
}

// newRun returns the options of a run that no other has.
func newRun() client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: "bench-" + rand.Text(), TaskQueue: temporalQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}
}

func (e *engine) begin(ctx context.Context, _ int64) error {
	op := e.client.NewWithStartWorkflowOperation(newRun(), nothing)
	handle, err := e.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
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

// idle returns once Temporal answers as if it had nothing else to do: the workflows of
// charges keep it busy for longer than the turns last. On a machine that is never idle,
// idle returns after idleAtMost.
func (e *engine) idle(ctx context.Context) {
	begun := time.Now()
	for time.Since(begun) < idleAtMost {
		if percentile(times(ctx, probes, e.begin), 50) <= idleTimes*e.usual {
			return
		}
		fixture.Do(fixture.Pause(ctx, breath))
	}
	fixture.Reportf("Temporal is still busy after %s", idleAtMost)
}
