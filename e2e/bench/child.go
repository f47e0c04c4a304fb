package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// childCommand is the hidden first argument of this program's children. The
// references run in processes of their own, as the services do, so that both
// sides share the processors in the same way.
const childCommand = "child"

// beside does something while a process of this program serves a reference. It gets the
// line with which the process tells that it is ready. The process ends when its standard
// input does, so also with this process.
func beside(ctx context.Context, args []string, do func(says string)) {
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

// runChild is the child's side.
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
