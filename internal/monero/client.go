package monero

import (
	"context"
	"encoding/json"
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
}

type call = jsonrpc.Call

// newClient makes a client. A process with a login gets one call at a time even
// if it is not serial, because the processes bind a digest nonce and its
// counter to one connection.
func newClient(at Endpoint, o Options, m meanings, serial bool) *client {
	return newClientOver(newHTTPClient(at.Login), at, o, m, serial)
}

func newClientOver(transport *http.Client, at Endpoint, o Options, m meanings, serial bool) *client {
	return &client{jsonrpc.New(jsonrpc.Process{
		Name: "monero", URL: at.URL, HTTP: transport, Serial: serial || at.Login != "",
		Unavailable: ErrUnavailable, Login: ErrLogin, Response: ErrResponse,
		Meaning: m, Secret: addressText,
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
	if k.Params == nil {
		k.Params = struct{}{}
	}
	var result json.RawMessage
	if err := c.process.RPC(ctx, k, "/json_rpc", &result); err != nil || out == nil {
		return err
	}
	// A result must be an object: a missing one must not be read as an empty list.
	if len(result) == 0 || result[0] != '{' {
		return fmt.Errorf("%w: %s", ErrResponse, k.Method)
	}
	return c.process.Decode(k, result, out)
}

// path calls an endpoint with a path of its own, whose answer has no JSON-RPC
// envelope.
func (c *client) path(ctx context.Context, k call, out any) error {
	answer, err := c.process.Post(ctx, k, "/"+k.Method, k.Params)
	if err != nil {
		return err
	}
	return c.process.Decode(k, answer, out)
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
