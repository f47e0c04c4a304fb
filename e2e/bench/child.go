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
)

// childCommand is the hidden first argument of this program's children. The
// references run in processes of their own, as the services do, so that both
// sides share the processors in the same way.
const childCommand = "child"

// child is a process of this program that serves a reference.
type child struct {
	stdin io.Closer
	cmd   *exec.Cmd
	// says is the line with which it told that it is ready.
	says string
}

// startChild runs a reference and returns when it is ready. It ends when its
// standard input does, so also with this process.
func startChild(ctx context.Context, args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, append([]string{childCommand}, args...)...)
	cmd.Stderr = os.Stderr
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("child: %w", err)
	}
	c := &child{stdin: stdin, cmd: cmd}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("child %s is not ready: %w", args[0], errors.Join(err, c.stop()))
	}
	c.says = strings.TrimSpace(line)
	return c, nil
}

func (c *child) stop() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
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
