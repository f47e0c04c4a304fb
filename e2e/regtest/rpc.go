package regtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/monero"
)

// rpc makes a JSON-RPC call to monerod or a wallet; result may be nil.
func rpc(ctx context.Context, base, method string, params, result any) error {
	return call(ctx, base+"/json_rpc", map[string]any{"jsonrpc": "2.0", "id": "0", "method": method, "params": params}, method, result)
}

// bitcoin makes a call of the kind that litecoind takes; result may be nil.
func bitcoin(ctx context.Context, url string, result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	return call(ctx, url, map[string]any{"method": method, "params": params}, method, result)
}

// call asks a question of a method and reads its result or error.
func call(ctx context.Context, url string, question any, method string, result any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := ask(ctx, url, question, &answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: error %d: %s", method, answer.Error.Code, answer.Error.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// transaction is one as litecoind tells it.
type transaction struct {
	Inputs []struct {
		TxHash string `json:"txid"`
		Output int    `json:"vout"`
	} `json:"vin"`
	Outputs []struct {
		Value  json.Number `json:"value"`
		Script struct {
			Hex string `json:"hex"`
		} `json:"scriptPubKey"`
	} `json:"vout"`
}

// ask posts a question to a route and reads the answer.
func ask(ctx context.Context, url string, question, result any) error {
	resp, text, err := clients.Send(ctx, nil, http.MethodPost, url, nil, question)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, result); err != nil {
		return fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	return nil
}

// patience is how long a call may take, and a process that was killed may stay
// away. Callers with less of it bound their context.
const patience = 8 * time.Minute

// patient allows long calls and disables the circuit breaker, so that a call does
// not fail because earlier ones did, as while a daemon is dead.
func patient() monero.Options {
	return monero.Options{CallTimeout: patience, LongTimeout: patience, BreakerFailures: math.MaxUint32}
}

// untilDone repeats an action that may fail while a process restarts.
func untilDone(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil || pause(ctx) != nil {
			return err
		}
	}
}

// pause comes between two tries.
func pause(ctx context.Context) error {
	select {
	case <-time.After(200 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
