package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// call makes a JSON-RPC 2.0 call to monerod or a wallet. result may be nil.
func call(ctx context.Context, base, method string, params, result any) error {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": "0", "method": method, "params": params,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/json_rpc", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: status %d: %w", method, resp.StatusCode, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: error %d: %s", method, answer.Error.Code, answer.Error.Message)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
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
