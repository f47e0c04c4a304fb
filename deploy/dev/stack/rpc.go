package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// call makes a JSON-RPC 2.0 call to monerod or a wallet. result may be nil.
func call(ctx context.Context, base, method string, params, result any) error {
	client := jsonrpc.New(jsonrpc.Process{
		Name: "monero", URL: base, HTTP: http.DefaultClient,
		Unavailable: monero.ErrUnavailable, Login: monero.ErrLogin, Response: monero.ErrResponse,
	}, jsonrpc.Options{})
	if err := client.RPC(ctx, jsonrpc.Call{Method: method, Params: params, Endless: true}, "/json_rpc", result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// ok checks a service's readiness endpoint. In a stack the sandbox must be ready too.
func ok(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("readiness: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("readiness: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Error string            `json:"error"`
		Parts map[string]string `json:"parts"`
	}
	_ = json.NewDecoder(resp.Body).Decode(&answer) // only for the error text and the sandbox's state
	if resp.StatusCode == http.StatusOK && answer.Parts["sandbox"] != "failing" {
		return nil
	}
	return fmt.Errorf("readiness: status %d %s %v", resp.StatusCode, answer.Error, answer.Parts)
}
