package activities_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// elsewhere is a daemon behind a name that moves, from one network to another, and a
// wallet. It knows no transaction, and refuses all.
type elsewhere struct {
	// network is the daemon's answer when it is asked for the nth time.
	network func(n int64) monero.NetType
	asked   atomic.Int64
	url     string
}

// moves begins on the main network and is on another from the nth question on.
func moves(t *testing.T, n int64) *elsewhere {
	t.Helper()
	e := &elsewhere{network: func(asked int64) monero.NetType {
		if asked < n {
			return monero.MainnetChain
		}
		return monero.StagenetChain
	}}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	e.url = server.URL
	return e
}

func (e *elsewhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := map[string]any{"status": "OK"}
	switch r.URL.Path {
	case "/get_transactions":
		answer["missed_tx"] = []string{"aa"}
	case "/is_key_image_spent":
		answer["spent_status"] = []int{0}
	case "/send_raw_transaction":
		answer = map[string]any{"status": "Failed", "invalid_input": true}
	case "/json_rpc":
		answer = map[string]any{"jsonrpc": "2.0", "id": "0", "result": map[string]any{
			"status": "OK", "height": 120, "synchronized": true, "nettype": e.network(e.asked.Add(1)), "addresses": []any{map[string]any{"address": "a"}},
		}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (e *elsewhere) daemon() *monero.Daemon {
	return monero.NewDaemon(monero.Endpoint{URL: e.url}, monero.Options{}).Only(monero.MainnetChain)
}

// A daemon that becomes one of another network while it is asked knows nothing of the
// bytes of a live payout: they are neither refused for good nor given up on its word.
func TestNoPayoutIsGivenUpOnTheWordOfAnotherNetwork(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int64{"from the first question on": 1, "behind one question": 2, "behind two": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, 1)
			a := s.payouts()
			id := s.reserved(t)
			s.built(t, id)
			a.Daemon = moves(t, n).daemon()
			_, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id, Reason: "the network refused the transaction"})
			require.ErrorIs(t, err, monero.ErrNetType)
			row, err := s.store.GetPayout(t.Context(), id)
			require.NoError(t, err)
			require.NotEqual(t, "failed", row.Status)
			a.Daemon = moves(t, n).daemon()
			err = step(t, a, a.RelayPayout, id, nil)
			require.ErrorContains(t, err, monero.ErrNetType.Error())
			require.False(t, isRefusal(err), err)
		})
	}
}

// The exchange's wallet on another network cannot be scanned. Its addresses are withheld
// all the same, and operators get an alert.
func TestTheExchangesWalletIsWithheldOnAnotherNetwork(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	takes := func() error {
		next, err := b.store.HandOutAddresses(t.Context(), db.HandOutAddressesParams{WalletID: "xmr", Most: 1})
		if err == nil && len(next) == 0 {
			err = postgres.ErrNotFound
		}
		return err
	}
	e := moves(t, 1)
	wallet, daemon := monero.NewWallet(monero.Endpoint{URL: e.url}, monero.Options{}), e.daemon()
	b.use("xmr", xmrwallet.New(daemon, wallet, "xmr", deriverOf(t), b.store.MoneroWallets()), 5)
	known := b.pool.Witness.Wallets["xmr"]
	known.Chain = &witness.MoneroChain{Wallet: wallet, Daemon: daemon}
	b.pool.Witness.Wallets["xmr"] = known
	b.pool.Witness.Clock = func() time.Time { return time.Now().Add(time.Hour) } // a comparison is due
	require.ErrorIs(t, b.scan(t, "xmr"), monero.ErrNetType)
	require.ErrorIs(t, b.pool.TopUp(t.Context(), "xmr"), witness.ErrWrongChain)
	alerted, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: alert.WrongChain, Subject: "xmr"})
	require.NoError(t, err)
	require.True(t, alerted)
	require.True(t, postgres.IsNotFound(takes()))
}
