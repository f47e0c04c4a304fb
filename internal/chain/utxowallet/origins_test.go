package utxowallet_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/utxowallet"
	"github.com/durapay/durapay/internal/utxo"
)

// daemon has the transaction "deposit", and any other transaction that it is asked for,
// each with 600 outputs to seven addresses.
type daemon struct {
	inputs []map[string]any
	// asked are the transactions that were read.
	asked []string
}

func (d *daemon) answer(method string, params []any) any {
	switch method {
	case "getblockchaininfo":
		return map[string]any{"chain": "main", "blocks": 9, "headers": 9, "bestblockhash": "top"}
	case "getindexinfo":
		return map[string]any{"txindex": map[string]any{"synced": true, "best_block_height": 9}}
	case "getwalletinfo":
		return map[string]any{"scanning": false}
	case "getblockheader":
		return map[string]any{"height": 8}
	case "gettransaction":
		return map[string]any{
			"txid": "deposit", "confirmations": 2, "blockhash": "b", "blockheight": 8,
			"details": []any{map[string]any{"category": "receive", "address": "here", "amount": 1, "vout": 0}},
		}
	case "getrawtransaction":
		d.asked = append(d.asked, fmt.Sprint(params[0]))
		if params[0] == "deposit" {
			return map[string]any{"txid": "deposit", "vin": d.inputs, "vout": []any{}, "confirmations": 2, "blockhash": "b"}
		}
	}
	var outputs []any
	for n := range 600 {
		outputs = append(outputs, map[string]any{"value": 0.0001, "n": n, "scriptPubKey": map[string]any{
			"hex": "0014", "addresses": []string{fmt.Sprint("ltc1q", n%7)},
		}})
	}
	return map[string]any{"txid": params[0], "vin": []any{}, "vout": outputs, "confirmations": 5, "blockhash": "b"}
}

func (d *daemon) wallet(t *testing.T) *utxowallet.Wallet {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     any    `json:"id"`
			Method string `json:"method"`
			Params []any  `json:"params"`
		}
		_ = json.NewDecoder(r.Body).Decode(&in)
		_ = json.NewEncoder(w).Encode(map[string]any{"result": d.answer(in.Method, in.Params), "error": nil, "id": in.ID})
	}))
	t.Cleanup(server.Close)
	client, err := utxo.New(utxo.Endpoint{URL: server.URL, Login: "a:b"}, utxo.Options{})
	require.NoError(t, err)
	return utxowallet.New(client, 0)
}

func (d *daemon) spend(txHash string, output int) {
	d.inputs = append(d.inputs, map[string]any{"txid": txHash, "vout": output})
}

// TestATransactionIsReadOnceHoweverMuchOfItIsSpent spends 600 outputs of one transaction.
func TestATransactionIsReadOnceHoweverMuchOfItIsSpent(t *testing.T) {
	t.Parallel()
	d := &daemon{}
	for n := range 600 {
		d.spend("source", n)
	}
	origins, err := d.wallet(t).Origins(t.Context(), chain.Received{TxHash: "deposit"})
	require.NoError(t, err)
	require.Len(t, origins, 7)
	require.Equal(t, []string{"deposit", "source"}, d.asked)
}

// TestAPayerCannotHaveAnyNumberOfTransactionsRead spends outputs of 100 transactions, and
// of one more.
func TestAPayerCannotHaveAnyNumberOfTransactionsRead(t *testing.T) {
	t.Parallel()
	d := &daemon{}
	for n := range 100 {
		d.spend(fmt.Sprint("source ", n), 1)
	}
	origins, err := d.wallet(t).Origins(t.Context(), chain.Received{TxHash: "deposit"})
	require.NoError(t, err)
	require.Equal(t, []string{"ltc1q1"}, origins)
	require.Len(t, d.asked, 101)

	d.spend("one more", 1)
	d.asked = nil
	_, err = d.wallet(t).Origins(t.Context(), chain.Received{TxHash: "deposit"})
	require.ErrorIs(t, err, chain.ErrTooManySources)
	require.Equal(t, []string{"deposit"}, d.asked)
}

// TestWhatADepositIsDoesNotDependOnWhereItComesFrom checks that Deposit reads no
// transaction that the deposit spends from.
func TestWhatADepositIsDoesNotDependOnWhereItComesFrom(t *testing.T) {
	t.Parallel()
	d := &daemon{}
	d.spend("source", 1)
	deposit, err := d.wallet(t).Deposit(t.Context(), "deposit", "here")
	require.NoError(t, err)
	require.EqualValues(t, 2, deposit.Confirmations)
	require.Equal(t, []string{"deposit"}, d.asked)
}
