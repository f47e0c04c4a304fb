package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"
)

// counter stands in front of a wallet and counts the calls to it.
type counter struct {
	// name is of what it stands in front of.
	name  string
	url   string
	calls atomic.Int64
}

func startCounter(name, target string) (*counter, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("counter: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("counter: %w", err)
	}
	c := &counter{name: name, url: "http://" + listener.Addr().String()}
	forward := httputil.NewSingleHostReverseProxy(to)
	// A caller that went away, or a stopped wallet, is not worth a message.
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c.calls.Add(1)
			forward.ServeHTTP(w, r)
		}),
	}
	go func() { _ = server.Serve(listener) }() // ends with this process
	return c, nil
}
