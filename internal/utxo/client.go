package utxo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/jsonrpc"
)

// Endpoint is the address of a daemon and one of its wallets.
type Endpoint struct {
	// URL is the base URL, such as http://127.0.0.1:9332. It may carry user
	// and password, and a wallet: http://…:9332/wallet/NAME.
	URL string
	// Login is user:password; empty when URL carries it.
	Login string
	// Wallet is the name of a wallet that the daemon has loaded. It is empty if URL
	// contains the name, or if the daemon has only one wallet.
	Wallet string
	// Passphrase opens the wallet's keys while something is signed. It is empty for a
	// wallet whose keys are not encrypted.
	Passphrase string
}

// Options bound the calls of a client. A zero field takes its default.
type Options = jsonrpc.Options

// Client calls one daemon and one of its wallets. It is safe for concurrent
// use.
//
// Every method can return ErrUnavailable, ErrLogin and ErrResponse.
type Client struct {
	process *jsonrpc.Client
	// walletPath is the path at which the wallet's methods are called.
	walletPath string
	passphrase string
	// opening is held while the wallet is unlocked.
	opening sync.Mutex
}

// New makes a client. It does not call the daemon yet.
func New(at Endpoint, o Options) (*Client, error) {
	base, err := url.Parse(at.URL)
	if err != nil || base.Host == "" {
		return nil, errors.New("utxo: the daemon's URL cannot be read") // it may hold a password
	}
	login := basicLogin{next: &http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}}
	login.user = base.User.Username()
	login.password, _ = base.User.Password()
	if at.Login != "" {
		login.user, login.password, _ = strings.Cut(at.Login, ":")
	}
	walletPath := "/" + strings.Trim(base.Path, "/")
	if at.Wallet != "" {
		walletPath = "/wallet/" + url.PathEscape(at.Wallet)
	}
	base.User, base.Path = nil, ""
	return &Client{walletPath: walletPath, passphrase: at.Passphrase, process: jsonrpc.New(jsonrpc.Process{
		Name: "utxo", URL: base.String(), HTTP: &http.Client{Transport: login, CheckRedirect: refuseRedirect},
		Answers: answers, Unavailable: ErrUnavailable, Login: ErrLogin, Response: ErrResponse, Meaning: meaning, Secret: longWord,
	}, o)}, nil
}

// Close drops idle connections. The client can still be used.
func (c *Client) Close() { c.process.Close() }

func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// answers reports whether a daemon uses the HTTP status to send the error of a
// call.
func answers(status int) bool {
	return status == http.StatusInternalServerError || status == http.StatusNotFound || status == http.StatusBadRequest
}

// basicLogin adds user and password to every request.
type basicLogin struct {
	user, password string
	next           *http.Transport
}

// RoundTrip sends the request with the login.
func (l basicLogin) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.SetBasicAuth(l.user, l.password)
	return l.next.RoundTrip(r)
}

// CloseIdleConnections closes the idle connections. http.Client calls it.
func (l basicLogin) CloseIdleConnections() { l.next.CloseIdleConnections() }

type call = jsonrpc.Call

// read makes a call that changes nothing.
func read(method string, params ...any) call {
	return call{Method: method, Params: append([]any{}, params...), Safe: true}
}

func (c *Client) daemon(ctx context.Context, k call, out any) error { return c.rpc(ctx, "/", k, out) }

func (c *Client) wallet(ctx context.Context, k call, out any) error {
	return c.rpc(ctx, c.walletPath, k, out)
}

// ask makes a call, by Client.daemon or Client.wallet, and returns its result.
func ask[T any](ctx context.Context, by func(context.Context, call, any) error, k call) (out T, err error) {
	err = by(ctx, k, &out)
	return out, err
}

func (c *Client) rpc(ctx context.Context, path string, k call, out any) error {
	if k.Params == nil {
		k.Params = []any{}
	}
	return c.process.RPC(ctx, k, path, out)
}

// codeOf returns the code of a daemon's error, and 0 for other errors.
func codeOf(err error) int {
	if e, ok := errors.AsType[*jsonrpc.MethodError](err); ok {
		return e.Code
	}
	return 0
}

func malformed(method, what string) error {
	return fmt.Errorf("%w: %s: %s", ErrResponse, method, what)
}
