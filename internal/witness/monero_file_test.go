package witness_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/witness"
)

// walletFile answers as monero-wallet-rpc does about attributes and notes.
type walletFile struct {
	mu                sync.Mutex
	attributes, notes map[string]string
}

func (f *walletFile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in struct {
		Method string `json:"method"`
		Params struct {
			Key   string   `json:"key"`
			Value string   `json:"value"`
			IDs   []string `json:"txids"`
			Notes []string `json:"notes"`
		} `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	answer := map[string]any{"jsonrpc": "2.0", "id": "0"}
	result := map[string]any{}
	switch in.Method {
	case "get_attribute":
		value, ok := f.attributes[in.Params.Key]
		if !ok {
			answer["error"] = map[string]any{"code": -45, "message": "Attribute not found."}
		}
		result["value"] = value
	case "set_attribute":
		f.attributes[in.Params.Key] = in.Params.Value
	case "set_tx_notes":
		f.notes[in.Params.IDs[0]] = in.Params.Notes[0]
	case "get_tx_notes":
		var notes []string
		for _, id := range in.Params.IDs {
			notes = append(notes, f.notes[id])
		}
		result["notes"] = notes
	}
	if answer["error"] == nil {
		answer["result"] = result
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// TestWalletsFileKnowsWhoseANumberIs: two databases that both act as the current one give
// the same number to two transactions, and Temporal does not answer. The file refuses the
// second, in whatever order transactions are relayed.
func TestWalletsFileKnowsWhoseANumberIs(t *testing.T) {
	t.Parallel()
	f := &walletFile{attributes: map[string]string{}, notes: map[string]string{}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	w := monero.NewWallet(monero.Endpoint{URL: server.URL}, monero.Options{})
	t.Cleanup(w.Close)
	p := witness.MoneroFile{Wallet: w}
	for _, seq := range []int64{1, 70, 69, 70, 69} { // 70 is relayed before 69; a raise is repeated
		e := entry(seq)
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: seq}, &e))
	}
	other := entry(69)
	other.TxHash = "another"
	require.ErrorIs(t, p.Raise(t.Context(), witness.Mark{Sends: 69}, &other), witness.ErrConflict)
	noted, err := p.Journal(t.Context(), []string{"another", entry(69).TxHash})
	require.NoError(t, err)
	require.Len(t, noted, 1, "nothing is noted of it")
	mark, err := p.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, witness.Mark{Sends: 70}, mark)

	// The keeper does not relay it, and puts the wallet into safe mode.
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	b.stored(t, 70)
	k := b.keeper.Wallets[wallet]
	k.File = p
	b.keeper.Wallets[wallet] = k
	require.ErrorIs(t, b.keeper.BeforeRelay(t.Context(), wallet, other, false), witness.ErrSafeMode)
	b.requireSafe(t, "another transaction has this number")
}
