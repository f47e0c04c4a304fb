package monero

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/icholy/digest"

	"github.com/durapay/durapay/internal/jsonrpc"
)

// client calls one process. It is safe for concurrent use.
type client struct {
	process *jsonrpc.Client
	meaning meanings
}

// call is one request. A safe call only reads or does the same when it is made
// twice, so it may be repeated. A long call gets LongTimeout. An endless call
// has no deadline but that of its context.
type call struct {
	method              string
	params              any
	safe, long, endless bool
}

func (k call) described() jsonrpc.Call {
	return jsonrpc.Call{Method: k.method, Safe: k.safe, Long: k.long, Endless: k.endless}
}

// newClient makes a client. A process with a login gets one call at a time even
// if it is not serial, because the processes bind a digest nonce and its
// counter to one connection.
func newClient(at Endpoint, o Options, m meanings, serial bool) *client {
	return newClientOver(newHTTPClient(at.Login), at, o, m, serial)
}

func newClientOver(transport *http.Client, at Endpoint, o Options, m meanings, serial bool) *client {
	return &client{meaning: m, process: jsonrpc.New(jsonrpc.Process{
		Name: processName, URL: at.URL, HTTP: transport, Serial: serial || at.Login != "",
		Unavailable: ErrUnavailable, Login: ErrLogin, Response: ErrResponse,
	}, o)}
}

func newHTTPClient(login string) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if login == "" {
		return &http.Client{Transport: transport, CheckRedirect: refuse}
	}
	user, password, _ := strings.Cut(login, ":")
	transport.MaxConnsPerHost = 1
	auth := &digest.Transport{Username: user, Password: password, Transport: transport}
	return &http.Client{Transport: auth, CheckRedirect: refuse}
}

// rpc makes a JSON-RPC call and decodes its result into out, unless out is nil.
func (c *client) rpc(ctx context.Context, k call, out any) error {
	params := k.params
	if params == nil {
		params = struct{}{}
	}
	var result json.RawMessage
	err := c.process.RPC(ctx, k.described(), "/json_rpc", params, &result)
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return methodError(k.method, e.Code, e.Message, c.meaning)
	}
	if err != nil || out == nil {
		return err
	}
	// A result must be an object: a missing one must not be read as an empty list.
	if len(result) == 0 || result[0] != '{' {
		return fmt.Errorf("%w: %s", ErrResponse, k.method)
	}
	return c.process.Decode(k.described(), result, out)
}

// path calls an endpoint with a path of its own, whose answer has no JSON-RPC
// envelope.
func (c *client) path(ctx context.Context, k call, out any) error {
	answer, err := c.process.Post(ctx, k.described(), "/"+k.method, k.params)
	if err != nil {
		return err
	}
	return c.process.Decode(k.described(), answer, out)
}

// Endpoint is the address of a process.
type Endpoint struct {
	// URL is the base URL, such as http://127.0.0.1:18081.
	URL string
	// Login is user:password of the process's digest authentication, or empty.
	Login string
}

// Options bound the calls of a client. A zero field takes its default.
type Options = jsonrpc.Options
