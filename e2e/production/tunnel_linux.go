package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/durapay/durapay/e2e/fixture"
)

// tunnel leads from a port of this machine, of which it returns the address, to one that
// only the inside of a container reaches. It dials for each connection, and so looks the
// container's address up: the tunnel survives restarts.
func (d *day) tunnel(ctx context.Context, listen string, dial func(context.Context) (net.Conn, error)) string {
	listener := fixture.Must(new(net.ListenConfig).Listen(ctx, "tcp", listen))
	d.ends = append(d.ends, listener.Close)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go carry(ctx, conn, dial)
		}
	}()
	return listener.Addr().String()
}

func carry(ctx context.Context, from net.Conn, dial func(context.Context) (net.Conn, error)) {
	defer func() { _ = from.Close() }()
	to, err := dial(ctx)
	if err != nil {
		return // for example, the container does not listen
	}
	defer func() { _ = to.Close() }()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1]) // either end may hang up
			if half, ok := pair[0].(*net.TCPConn); ok {
				_ = half.CloseWrite()
			}
			done <- struct{}{}
		}()
	}
	<-done
	<-done
}

// inside dials an address in the network of a container.
func (e *engine) inside(containerName, address string) func(context.Context) (net.Conn, error) {
	return func(ctx context.Context) (net.Conn, error) {
		pid, err := e.docker(ctx, "inspect", "--format", "{{.State.Pid}}", containerName)
		if err != nil {
			return nil, err
		}
		if pid == "0" || strings.Contains(pid, "\n") {
			return nil, fmt.Errorf("%s does not run", containerName)
		}
		return dialInNetworkOf(ctx, pid, address)
	}
}

func dialInNetworkOf(ctx context.Context, pid, address string) (net.Conn, error) {
	type result struct {
		conn net.Conn
		err  error
	}
	dialed := make(chan result, 1)
	go func() {
		// The thread has changed its network for good and ends with the goroutine.
		runtime.LockOSThread()
		conn, err := dialFrom(ctx, "/proc/"+pid+"/ns/net", address)
		dialed <- result{conn, err}
	}()
	r := <-dialed
	return r.conn, r.err
}

func dialFrom(ctx context.Context, namespace, address string) (net.Conn, error) {
	file, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, errors.Join(errors.New("enter the container's network"), err)
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, FallbackDelay: -1}
	return dialer.DialContext(ctx, "tcp4", address)
}
