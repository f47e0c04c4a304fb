package activities_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// minedWallet answers as a spending wallet and its daemon do. A real wallet cannot be made to
// have been spent from by another installation without a chain.
type minedWallet struct {
	mu sync.Mutex
	// height is the number of blocks.
	height int
	// outputs are the outputs that the wallet has received, by key image.
	outputs map[string]walletOutput
	// spenders are the blocks of the transactions that spend key images.
	spenders map[string]int
	// fits is how many inputs a transaction takes; 0 if nothing is worth the chain's fee.
	fits int
	// view has its addresses: it has made every one that it is asked for.
	view *monero.Deriver
	// swept is called with each sweep; nil for nothing.
	swept func()
}

type walletOutput struct {
	hash   string
	index  int32
	amount money.Piconero
}

func (p *minedWallet) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// image is a key image for a payment.
func image(txHash string) string {
	sum := sha256.Sum256([]byte(txHash))
	return hex.EncodeToString(sum[:])
}

// holds lets the wallet hold all payments of the shop.
func (p *minedWallet) holds(t *testing.T, s *shop) {
	t.Helper()
	rows, err := s.store.Pool().Query(t.Context(), "SELECT tx_hash, subaddress_index, amount FROM received_payments")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var r walletOutput
		require.NoError(t, rows.Scan(&r.hash, &r.index, &r.amount))
		p.outputs[image(r.hash)] = r
	}
	require.NoError(t, rows.Err())
}

// blob is a transaction that spends one key image, as far as its inputs are read.
func blob(image string) string { return "020001" + "020000" + image }

func (p *minedWallet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var in struct {
		Method string   `json:"method"`
		Images []string `json:"key_images"`
		Hashes []string `json:"txs_hashes"`
		Params struct {
			MinHeight int      `json:"min_height"`
			Indices   []int32  `json:"subaddr_indices"`
			Address   []uint32 `json:"address_index"`
		} `json:"params"`
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	answer := map[string]any{"status": "OK"}
	switch r.URL.Path {
	case "/is_key_image_spent":
		spent := make([]int, len(in.Images))
		for i, image := range in.Images {
			if p.spenders[image] > 0 {
				spent[i] = 1
			}
		}
		answer["spent_status"] = spent
	case "/get_transactions":
		answer["txs"] = []any{map[string]any{"tx_hash": in.Hashes[0], "as_hex": blob(in.Hashes[0])}}
	case "/json_rpc":
		answer = map[string]any{"jsonrpc": "2.0", "id": "0", "result": p.call(in.Method, in.Params.MinHeight, in.Params.Indices)}
		switch {
		case in.Method == "get_address":
			answer["result"] = map[string]any{"addresses": []any{map[string]any{"address": p.view.Subaddress(0, in.Params.Address[0])}}}
		case in.Method == "sweep_all" && p.fits == 0:
			answer = map[string]any{"jsonrpc": "2.0", "id": "0", "error": map[string]any{"code": -17, "message": "not enough money"}}
		case in.Method == "sweep_all":
			answer["result"] = p.sweep(in.Params.Indices)
			if p.swept != nil {
				p.swept()
			}
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *minedWallet) call(method string, minHeight int, indices []int32) map[string]any {
	switch method {
	case "incoming_transfers":
		var list []any
		for image, o := range p.outputs {
			for _, index := range indices {
				if index == o.index {
					list = append(list, map[string]any{
						"tx_hash": o.hash, "key_image": image, "amount": uint64(o.amount), "spent": p.spenders[image] > 0, "unlocked": true,
						"subaddr_index": map[string]any{"minor": o.index},
					})
				}
			}
		}
		return map[string]any{"transfers": list}
	case "get_transfers": // a transaction is named after the key image that it spends
		var out []any
		for image, height := range p.spenders {
			if height > minHeight {
				out = append(out, map[string]any{"txid": image, "height": height})
			}
		}
		return map[string]any{"out": out}
	default:
		return map[string]any{"status": "OK", "height": p.height, "top_block_hash": "top", "synchronized": true, "nettype": "mainnet"}
	}
}

// spending lets payouts be built by the wallet.
func (p *minedWallet) spending(t *testing.T, a *payouts.Handler) {
	t.Helper()
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	at := monero.Endpoint{URL: server.URL}
	a.Daemon, p.view = monero.NewDaemon(at, monero.Options{}), deriverOf(t)
	wallet := monero.NewWallet(at, monero.Options{})
	t.Cleanup(a.Daemon.Close)
	t.Cleanup(wallet.Close)
	open := monero.OpenWallet{Daemon: a.Daemon, Spend: wallet, Deriver: p.view}
	a.Wallets = map[string]*xmrwallet.Spender{walletID: xmrwallet.NewSpender(walletID, open, a.Store.MoneroWallets())}
}

// TestWhatAnotherTransactionHasSpentLeavesTheBalance: a second installation with the same
// seed has spent the oldest payment. While its block is new, the payment stays in the
// balance. When that block is ten blocks deep, the next build removes the payment from
// the balance and from every choice, and opens one alert.
func TestWhatAnotherTransactionHasSpentLeavesTheBalance(t *testing.T) {
	t.Parallel()
	s, p := open(t, 9), &minedWallet{height: 140, outputs: map[string]walletOutput{}, spenders: map[string]int{}}
	a := s.payouts()
	p.spending(t, a)
	s.payTo(t)
	gone := s.earn(t, 100)
	s.earn(t, 101)
	s.mine(t, 140)
	p.holds(t, s)
	for image, o := range p.outputs {
		if c, err := s.store.Charge(t.Context(), gone, start); err == nil && c.Charge.SubaddressIndex == o.index {
			p.spenders[image] = 131
		}
	}
	require.Len(t, p.spenders, 1)
	balance := func() money.Piconero {
		t.Helper()
		sum, err := s.store.UnpaidSummary(t.Context(), db.UnpaidSummaryParams{MerchantID: s.merchant, WalletID: walletID})
		require.NoError(t, err)
		return sum.Total
	}
	build := func() {
		t.Helper()
		in := s.sweep()
		_, err := a.ReservePayout(t.Context(), in)
		require.NoError(t, err)
		require.Len(t, s.paymentsOf(t, in.PayoutID), 2)
		for range 2 {
			require.ErrorContains(t, step(t, a, a.BuildPayout, in.PayoutID, nil), "address", "where it goes is no address of Monero")
		}
		_, err = a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID})
		require.NoError(t, err)
		require.Equal(t, payout.Failed, s.payoutStatus(t, in.PayoutID))
	}
	build()
	require.Equal(t, 2*earned, balance(), "its block may still be replaced")
	require.Empty(t, s.openAlerts(t))
	p.set(func() { p.height = 141 })
	build()
	require.Equal(t, earned, balance())
	require.Len(t, s.openAlerts(t), 1)
	require.Equal(t, alert.PaymentSpent, s.openAlerts(t)[0].Kind)
	in := s.sweep()
	_, err := a.ReservePayout(t.Context(), in)
	require.NoError(t, err)
	require.Len(t, s.paymentsOf(t, in.PayoutID), 1)
	owed, err := s.store.OwedToMerchant(t.Context(), s.merchant)
	require.NoError(t, err)
	require.False(t, owed.Unpaid)
	_, err = s.refund(t, "", "0.000000000001")
	require.Equal(t, refusals.Refund, reason(t, err), "nothing is left of the balance")
}
