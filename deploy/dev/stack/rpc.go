package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// call makes a JSON-RPC 2.0 call to monerod or a wallet. result may be nil.
func call(ctx context.Context, base, method string, params, result any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "0", "method": method, "params": params})
	if err == nil {
		_, err = ask(ctx, http.MethodPost, base+"/json_rpc", bytes.NewReader(body), &answer)
	}
	if err == nil && answer.Error != nil {
		err = fmt.Errorf("error %d: %s", answer.Error.Code, answer.Error.Message)
	}
	if err == nil && result != nil {
		err = json.Unmarshal(answer.Result, result)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// ok checks a service's readiness endpoint. In a stack the sandbox must be ready too.
func ok(ctx context.Context, url string) error {
	var answer struct {
		Error string            `json:"error"`
		Parts map[string]string `json:"parts"`
	}
	// The answer is only for the error text and the sandbox's state.
	status, err := ask(ctx, http.MethodGet, url, nil, &answer)
	switch {
	case status == 0:
		return fmt.Errorf("readiness: %w", err)
	case status == http.StatusOK && answer.Parts["sandbox"] != "failing":
		return nil
	default:
		return fmt.Errorf("readiness: status %d %s %v", status, answer.Error, answer.Parts)
	}
}

// ask makes a request and decodes its answer from JSON. The status is 0 without an answer.
func ask(ctx context.Context, method, url string, body io.Reader, answer any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(answer); err != nil {
		return resp.StatusCode, fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	return resp.StatusCode, nil
}
