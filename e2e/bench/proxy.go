package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// silentProxy takes connections and says nothing, for as long as this process
// lives: whatever goes through it hangs.
type silentProxy struct {
	address string
	// hanging is how many connections are open.
	hanging atomic.Int64
}

func startSilentProxy(ctx context.Context) (*silentProxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("silent proxy: %w", err)
	}
	p := &silentProxy{address: listener.Addr().String()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			p.hanging.Add(1)
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
				p.hanging.Add(-1)
			}()
		}
	}()
	return p, nil
}
