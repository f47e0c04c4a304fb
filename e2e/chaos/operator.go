package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/testkit"
)

// deployment is the name that workers with a build ID register.
const deployment = "durapay"

// operate makes a backup, or migrates the schema that is up to date. Either fails
// where PostgreSQL goes away meanwhile, and then an operator would repeat it.
func (w *testbed) operate(ctx context.Context, x disturbance) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var err error
	if x.on == backup {
		err = w.backup(ctx)
	} else {
		_, err = w.Stack.Durapay(ctx, "migrate")
	}
	if err != nil {
		fixture.Tellf("the %s was cut off: %v", x.on, firstLine(err))
	}
}

// backup runs the operators' script, which reads the database in one transaction.
func (w *testbed) backup(ctx context.Context) error {
	to, err := url.Parse(w.URLs["DATABASE_URL"])
	if err != nil {
		return err
	}
	folder := filepath.Join(w.Stack.Dir(), "backup")
	defer func() { _ = os.RemoveAll(folder) }()
	password, _ := to.User.Password()
	cmd := exec.CommandContext(ctx, "deploy/postgres/backup.sh", filepath.Join(folder, "databases"), filepath.Join(folder, "secrets"))
	cmd.Env = append(os.Environ(), "RUN=", "DATABASES=durapay", "SECRETS_DIR="+filepath.Join(w.Stack.Dir(), "secrets"),
		"PGHOST="+to.Hostname(), "PGPORT="+to.Port(), "PGUSER="+to.User.Username(), "PGPASSWORD="+password)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// takeOver replaces the worker by one with another build ID: a second worker begins, is
// made the current version, and works while the first is replaced.
func (w *testbed) takeOver(ctx context.Context, _ disturbance) {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	w.builds++
	id := "build-" + strconv.Itoa(w.builds)
	end := w.secondWorker(ctx, id)
	fixture.Finally(func() {
		w.makeCurrent(ctx, id)
		w.env["WORKER_BUILD_ID"] = id
		fixture.Do(w.Stack.StopPart(ctx, "worker"))
		w.startPart(ctx, "worker")
	}, end)
}

// secondWorker starts a worker next to the stack's. The function that it returns ends it.
func (w *testbed) secondWorker(ctx context.Context, id string) (end func() error) {
	block := fixture.Must(testkit.ReservePorts())
	port := fixture.Must(block.Port())
	log := fixture.Must(os.Create(filepath.Join(w.Stack.Dir(), "log", "worker-"+id+".log")))
	cmd := w.Stack.Another(context.WithoutCancel(ctx), "worker", map[string]string{
		"WORKER_BUILD_ID": id, "INTERNAL_LISTEN": net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
	})
	cmd.Stdout, cmd.Stderr = log, log
	fixture.Do(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails where it has ended
		var err error
		select {
		case err = <-ended:
		case <-time.After(patience):
			err = errors.Join(errors.New("it does not stop"), cmd.Process.Kill())
		}
		if err != nil {
			err = fmt.Errorf("the second worker (%s): %w", log.Name(), err)
		}
		return errors.Join(err, log.Close(), block.Close())
	}
}

// makeCurrent hands the work over to workers of a build, once Temporal knows one.
func (w *testbed) makeCurrent(ctx context.Context, id string) {
	handle := w.temporal.WorkerDeploymentClient().GetHandle(deployment)
	for {
		_, err := handle.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: id})
		if err == nil {
			return
		}
		fixture.Tellf("%s is not the current version yet: %v", id, firstLine(err))
		if failed := fixture.Pause(ctx, 5*time.Second); failed != nil {
			fixture.Failf("set the current version: %w", err)
		}
	}
}
