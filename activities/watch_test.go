package activities_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/edwards25519"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// recorder answers as monerod and monero-wallet-rpc do, in cases that real ones cannot be
// made to show. One case is a payment that a reorganization put back into the pool while it
// is still read in its block.
type recorder struct {
	mu     sync.Mutex
	blocks []string
	// placed is where the daemon has a transaction: a height, 0 for the pool.
	placed map[string]int
	// listed is what Scan finds; a height of 0 is the pool. unread is its error.
	listed []entry
	unread error
	// addresses is how many the wallet has made; calls are the methods it was asked.
	addresses int
	calls     []string
	// relayed are the bytes that the daemon got; spent is set if a block holds another
	// transaction that spends the same.
	relayed []string
	spent   bool
}

type entry struct {
	tx            string
	index, height int
	amount        uint64
	unlock        int64 // its payer's lock, in seconds of Unix time; 0 for none
}

func txHash(name string) string {
	return hex.EncodeToString([]byte(name + strings.Repeat(".", 32-len(name))))
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var in struct {
		Method string   `json:"method"`
		Hashes []string `json:"txs_hashes"`
		Images []string `json:"key_images"`
		Raw    string   `json:"tx_as_hex"`
		Params struct {
			Height       int   `json:"height"`
			Count        int   `json:"count"`
			AddressIndex []int `json:"address_index"`
		} `json:"params"`
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch req.URL.Path {
	case "/is_key_image_spent":
		spent := make([]int, len(in.Images))
		for i := range spent {
			spent[i] = map[bool]int{true: 1}[r.spent]
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "OK", "spent_status": spent})
		return
	case "/send_raw_transaction":
		r.relayed = append(r.relayed, in.Raw)
		_ = json.NewEncoder(w).Encode(map[string]any{"status": map[bool]string{true: "Failed", false: "OK"}[r.spent]})
		return
	case "/get_transactions":
		var txs []any
		for _, hash := range in.Hashes {
			if height, ok := r.placed[hash]; ok {
				txs = append(txs, map[string]any{"tx_hash": hash, "in_pool": height == 0, "block_height": height})
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"status": "OK", "txs": txs})
		return
	}
	r.calls = append(r.calls, in.Method)
	result, fault := map[string]any{"status": "OK"}, map[string]any(nil)
	top := len(r.blocks) - 1
	switch in.Method {
	case "get_info":
		result["height"], result["top_block_hash"], result["synchronized"] = top+1, r.blocks[top], true
	case "get_height":
		result["height"] = top + 1
	case "get_block_header_by_height":
		if in.Params.Height > top {
			fault = map[string]any{"code": -2, "message": "too big height"}
			break
		}
		result["block_header"] = map[string]any{"height": in.Params.Height, "hash": r.blocks[in.Params.Height]}
	case "get_address":
		if in.Params.AddressIndex[0] >= r.addresses {
			fault = map[string]any{"code": -14, "message": "address index is out of bound"}
			break
		}
		result["addresses"] = []any{map[string]any{"address": "a"}}
	case "create_address":
		var indices []int
		for range in.Params.Count {
			indices = append(indices, r.addresses)
			r.addresses++
		}
		result["addresses"], result["address_indices"] = make([]string, len(indices)), indices
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": "0", "result": result}
	if fault != nil {
		answer = map[string]any{"jsonrpc": "2.0", "id": "0", "error": fault}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// recordedReceiver is the chain.Receiver of a recorder.
type recordedReceiver struct {
	*xmrwallet.Network

	recorder *recorder
	deriver  *monero.Deriver
}

func (c recordedReceiver) Scan(_ context.Context, from, to uint64) ([]chain.Received, uint64, error) {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	var list []chain.Received
	for _, e := range c.recorder.listed {
		if e.height != 0 && (uint64(e.height) < from || uint64(e.height) > to) {
			continue
		}
		p := chain.Received{
			TxHash: txHash(e.tx), Address: c.deriver.Subaddress(0, uint32(e.index)), WalletID: walletID, Ref: strconv.Itoa(e.index), Amount: e.amount, Outputs: 1,
			Height: uint64(e.height), SpendableAfter: 10, Seen: start,
		}
		if e.unlock != 0 {
			p.UnlockAt = time.Unix(e.unlock, 0).UTC()
		}
		list = append(list, p)
	}
	return list, to, c.recorder.unread
}

func (recordedReceiver) Origins(context.Context, chain.Received) ([]string, error) { return nil, nil }

// till is a shop whose wallet is watched.
type till struct {
	*shop
	*recorder

	watcher  *incoming.Watch
	daemon   *monero.Daemon
	scan     func(context.Context) error
	now      time.Time
	signaled []string
	signal   func(id string) error
	lag      []int64
}

func tillOf(t *testing.T, blocks int) *till {
	t.Helper()
	a := &till{shop: open(t, 10), recorder: &recorder{placed: map[string]int{}, addresses: 11}, now: start}
	a.mineBlocks(blocks)
	server := httptest.NewServer(a.recorder)
	t.Cleanup(server.Close)
	deriver := deriverOf(t)
	a.daemon = monero.NewDaemon(monero.Endpoint{URL: server.URL}, monero.Options{})
	for i := range uint32(10) {
		a.exec(t, "UPDATE addresses SET address = $1 WHERE wallet_id = $2 AND subaddress_index = $3", deriver.Subaddress(0, i+1), walletID, i+1)
	}
	wallet := recordedReceiver{xmrwallet.NewNetwork(a.daemon), a.recorder, deriver}
	a.watcher = &incoming.Watch{
		Store:   a.store,
		Chains:  map[string]incoming.Chain{liveChain: {Receiver: wallet, WalletIDs: []string{walletID}, Merchants: []string{walletID}}},
		Clock:   func() time.Time { a.now = a.now.Add(time.Second); return a.now },
		Scanned: func(_ string, lag int64, _ time.Time) { a.lag = append(a.lag, lag) },
		Nudge:   a.sends(t),
	}
	a.restart(t)
	require.NoError(t, a.scan(t.Context()))
	return a
}

// sends returns a function that sends the wakeups which scans have written.
func (a *till) sends(t *testing.T) func() {
	t.Helper()
	send := func(_ context.Context, w outbox.Wakeup) error {
		if outbox.IsNew(w) {
			return nil
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.signal != nil {
			if err := a.signal(w.ID); err != nil {
				return err
			}
		}
		if w.Kind == string(outbox.Charges) {
			a.signaled = append(a.signaled, w.ID)
		}
		return nil
	}
	loop := outbox.NewLoop(a.store, send, slog.New(slog.DiscardHandler))
	return func() {
		pgtest.SendWakeups(t, a.store, send)
		require.NoError(t, loop.ReportLate(t.Context()))
	}
}

// restart makes a watcher that remembers nothing.
func (a *till) restart(t *testing.T) {
	t.Helper()
	scan, err := a.watcher.Scanner(liveChain)
	require.NoError(t, err)
	a.scan = func(ctx context.Context) error {
		_, err := scan(ctx)
		return err
	}
}

func deriverOf(t *testing.T) *monero.Deriver {
	t.Helper()
	return deriverNumbered(t, 1)
}

// deriverNumbered returns the deriver of a wallet whose both keys are a small number.
func deriverNumbered(t *testing.T, n uint16) *monero.Deriver {
	t.Helper()
	one, err := edwards25519.NewScalar().SetCanonicalBytes(append([]byte{byte(n), byte(n >> 8)}, make([]byte, 30)...))
	require.NoError(t, err)
	address := monero.Address{Network: monero.Mainnet, Kind: monero.KindStandard}
	copy(address.Spend[:], new(edwards25519.Point).ScalarBaseMult(one).Bytes())
	address.View = address.Spend
	d, err := monero.NewDeriver(address.String(), hex.EncodeToString(one.Bytes()))
	require.NoError(t, err)
	return d
}

func (a *till) mineBlocks(n int) {
	for range n {
		a.blocks = append(a.blocks, fmt.Sprintf("block %d of %d", len(a.blocks), len(a.calls)))
	}
}

func (a *till) find(t *testing.T, id string) (found struct {
	Charge charge.Charge
	Facts  charge.Facts
}) {
	t.Helper()
	c, err := a.store.Charge(t.Context(), id, a.now)
	require.NoError(t, err)
	found.Charge, found.Facts = c.Charge, c.Facts
	return found
}

func (a *till) advance(t *testing.T, id string) incoming.ChargeState {
	t.Helper()
	state, err := a.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: a.now})
	require.NoError(t, err)
	return state
}

// show lets the wallet list a payment, and the daemon have it, at a height.
func (a *till) show(c charge.Charge, tx string, height int) {
	a.listed = append(a.listed, entry{tx: tx, index: int(c.SubaddressIndex), height: height, amount: uint64(c.AmountXMR)})
	a.placed[txHash(tx)] = height
}

// TestChargeIsNotConfirmedByAPaymentThatWentBackToThePool is a double spend in a
// longer chain: the payment lies in the pool for days, the wallet shows its old
// block or nothing, and the chain grows.
func TestChargeIsNotConfirmedByAPaymentThatWentBackToThePool(t *testing.T) {
	t.Parallel()
	for _, wallet := range []string{"goes on with its block", "shows nothing"} {
		a := tillOf(t, 100)
		c := a.create(t, a.request())
		a.mineBlocks(1)
		a.show(c, "p", 100)
		require.NoError(t, a.scan(t.Context()))
		require.Equal(t, int32(1), a.advance(t, c.ID).Confirmations)
		a.blocks = a.blocks[:100]
		a.mineBlocks(2)
		a.placed[txHash("p")] = 0
		if wallet == "shows nothing" {
			a.listed = nil
		}
		for range 15 {
			require.NoError(t, a.scan(t.Context()))
			state := a.advance(t, c.ID)
			require.Equal(t, charge.Pending, state.Status, wallet)
			require.Zero(t, state.Confirmations, wallet)
			a.mineBlocks(1)
		}
		a.placed[txHash("p")] = len(a.blocks) - 1
		require.NoError(t, a.scan(t.Context()))
		require.Equal(t, int32(1), a.advance(t, c.ID).Confirmations)
		a.mineBlocks(9)
		require.NoError(t, a.scan(t.Context()))
		require.Equal(t, charge.Confirmed, a.advance(t, c.ID).Status)
	}
}

// TestPaymentsToOneKeyAreConfirmedOnce has a payer send two transactions to one one-time
// key: only one of them can ever be spent. In the pool the wallet shows both in full. In
// blocks it shows the second one as nothing, or as the amount by which it exceeds the
// first.
func TestPaymentsToOneKeyAreConfirmedOnce(t *testing.T) {
	t.Parallel()
	for _, restarted := range []bool{false, true} {
		a := tillOf(t, 100)
		c := a.create(t, a.request())
		half := uint64(c.AmountXMR) / 2
		in := func(first, second int, of uint64) []entry {
			index := int(c.SubaddressIndex)
			return []entry{{"first", index, first, half, 0}, {"second", index, second, of, 0}}
		}
		a.listed, a.placed = in(0, 0, half), map[string]int{txHash("first"): 0, txHash("second"): 0}
		require.NoError(t, a.scan(t.Context()))
		require.Equal(t, c.AmountXMR, a.advance(t, c.ID).Received)
		a.mineBlocks(1)
		a.listed, a.placed = in(100, 100, 0), map[string]int{txHash("first"): 100, txHash("second"): 100}
		for range 15 {
			if restarted {
				a.restart(t)
			}
			require.NoError(t, a.scan(t.Context()))
			state := a.advance(t, c.ID)
			require.Equal(t, charge.Pending, state.Status)
			require.EqualValues(t, half, state.Received)
			a.mineBlocks(1)
		}
		a.blocks = a.blocks[:100]
		a.mineBlocks(20)
		a.listed = in(100, 101, half)
		a.placed[txHash("second")] = 101
		require.NoError(t, a.scan(t.Context()))
		require.Equal(t, charge.Confirmed, a.advance(t, c.ID).Status, "it was worth something after all")
	}
}

// TestPaymentIsShownWithWhatFollowsFromIt reads the charge between the scan that
// stores its payment and the advance that moves its timeout.
func TestPaymentIsShownWithWhatFollowsFromIt(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	c := a.create(t, a.request())
	a.show(c, "p", 0)
	require.NoError(t, a.scan(t.Context()))
	require.Equal(t, []string{c.ID}, a.signaled)
	read := a.find(t, c.ID)
	require.Empty(t, read.Facts.Payments)
	require.Equal(t, c.ExpiresAt, read.Charge.ExpiresAt)
	for range 2 {
		a.advance(t, c.ID)
		read = a.find(t, c.ID)
		require.Len(t, read.Facts.Payments, 1)
		require.Equal(t, c.ExpiresAt.Add(2*time.Hour), read.Charge.ExpiresAt)
	}
	// A payment that was dropped and comes back is shown after the next advance, too.
	a.listed, a.placed = nil, map[string]int{}
	require.NoError(t, a.scan(t.Context()))
	a.advance(t, c.ID)
	require.Empty(t, a.find(t, c.ID).Facts.Payments)
	a.placed[txHash("p")] = 0 // the wallet does not list it twice
	a.now = a.now.Add(30 * time.Second)
	require.NoError(t, a.scan(t.Context()))
	require.Empty(t, a.find(t, c.ID).Facts.Payments)
	a.advance(t, c.ID)
	require.Len(t, a.find(t, c.ID).Facts.Payments, 1)
}

// TestPaymentFromBeforeItsChargeDoesNotCount pays deep below the chain's height
// at creation, one block around the slack, and to an address whose payment was
// known before its charge.
func TestPaymentFromBeforeItsChargeDoesNotCount(t *testing.T) {
	t.Parallel()
	for height, theirs := range map[int]bool{50: false, 89: false, 90: true, 99: true} {
		a := tillOf(t, 100)
		c := a.create(t, a.request())
		a.show(c, "p", height)
		_, err := a.store.Pool().Exec(t.Context(), "UPDATE chains SET settled_height = 0, settled_hash = ''")
		require.NoError(t, err)
		a.restart(t)
		for range 2 {
			require.NoError(t, a.scan(t.Context()))
			a.restart(t)
		}
		state := a.advance(t, c.ID)
		require.Equal(t, theirs, state.Received > 0, height)
		require.Equal(t, !theirs, slices.ContainsFunc(a.openAlerts(t), func(n db.Alert) bool { return n.Kind == alert.PaymentUnmatched }), height)
	}
	a := tillOf(t, 100)
	a.listed = []entry{{"p", 1, 0, 10_000_000_000, 0}} // the next charge's address
	a.placed[txHash("p")] = 0
	require.NoError(t, a.scan(t.Context()))
	require.Len(t, a.openAlerts(t), 1)
	c := a.create(t, a.request())
	require.EqualValues(t, 1, c.SubaddressIndex)
	a.mineBlocks(1)
	a.listed[0].height, a.placed[txHash("p")] = 100, 100
	require.NoError(t, a.scan(t.Context()))
	a.mineBlocks(20)
	require.NoError(t, a.scan(t.Context()))
	require.Zero(t, a.advance(t, c.ID).Received, "known before its charge")
	require.Empty(t, a.signaled)
}

// TestFailingSignalDelaysNoOtherSignal fails one charge's signal for longer than operators
// are left in peace.
func TestFailingSignalDelaysNoOtherSignal(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	var all []charge.Charge
	for i := range 5 {
		c := a.create(t, a.request())
		a.show(c, fmt.Sprint("p", i), 0)
		all = append(all, c)
	}
	stuck := all[0].ID
	a.signal = func(id string) error {
		if id == stuck {
			return errors.New("history limit")
		}
		return nil
	}
	require.NoError(t, a.scan(t.Context()))
	slices.Sort(a.signaled)
	require.Len(t, a.signaled, 4)
	require.NotContains(t, a.signaled, stuck)
	for range 5 {
		a.exec(t, "UPDATE wakeups SET next_at = now(), since = now() - interval '61 minutes'")
		require.NoError(t, a.scan(t.Context()))
	}
	require.Len(t, a.signaled, 4, "none is told twice")
	alerts := a.openAlerts(t)
	require.Len(t, alerts, 1)
	require.Equal(t, alert.SignalUndelivered, alerts[0].Kind)
	require.Equal(t, "charges/"+stuck, alerts[0].Subject)
	a.signal = nil
	a.exec(t, "UPDATE wakeups SET next_at = now()")
	require.NoError(t, a.scan(t.Context()))
	require.Contains(t, a.signaled, stuck)
	require.Empty(t, a.openAlerts(t), "it closes by itself")
	a.now = a.now.Add(5 * time.Minute)
	require.NoError(t, a.scan(t.Context()))
	require.Len(t, a.signaled, 5)
}

// TestChargesAreSignaledBeforeWhatTakesTime: a merchant with many payouts and claims of refunds
// holds up the charges of no other.
func TestChargesAreSignaledBeforeWhatTakesTime(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	c := a.create(t, a.request())
	a.exec(t, `INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs,
		tx_hash, sent_at, created_at) VALUES ('po_0123456789abcdef01234567', $1, $2, 'broadcast', '', '', 1, 0, 1, 1, 'h', now(), now())`, a.merchant, walletID)
	var signaled []string
	a.signal = func(id string) error {
		signaled = append(signaled, id)
		return nil
	}
	a.mineBlocks(1)
	a.show(c, "p", 100)
	require.NoError(t, a.scan(t.Context()))
	require.Equal(t, []string{c.ID, "po_0123456789abcdef01234567"}, signaled)
}

// TestChainIsReadAgainForLostAddresses pays an address that the restored database did not
// know when the block was read, and that operators have named since.
func TestChainIsReadAgainForLostAddresses(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	c := a.create(t, a.request())
	a.mineBlocks(70)
	require.NoError(t, a.scan(t.Context()))
	a.show(c, "p", 105) // settled by now
	require.NoError(t, a.scan(t.Context()))
	require.Zero(t, a.advance(t, c.ID).Received)
	require.NoError(t, a.store.SetRescan(t.Context(), liveChain))
	for range 2 { // pages
		require.NoError(t, a.scan(t.Context()))
	}
	require.Equal(t, charge.Confirmed, a.advance(t, c.ID).Status)
	row, err := a.store.GetChain(t.Context(), liveChain)
	require.NoError(t, err)
	require.False(t, row.Rescan)
	require.EqualValues(t, 170, row.ChainHeight)
}

// TestUnknownFormSettlesNothing has the chain show what cannot be read. Operators get one
// alert, which closes by itself.
func TestUnknownFormSettlesNothing(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	c := a.create(t, a.request())
	a.show(c, "p", 100)
	a.mineBlocks(30)
	a.unread = fmt.Errorf("block 101: %w", chain.ErrForm)
	for range 2 {
		require.ErrorIs(t, a.scan(t.Context()), chain.ErrForm)
		a.restart(t)
		require.Zero(t, a.advance(t, c.ID).Received)
		alerts := a.openAlerts(t)
		require.Len(t, alerts, 1)
		require.Equal(t, alert.ChainUnknown, alerts[0].Kind)
		require.Contains(t, alerts[0].Detail, "block 101")
	}
	a.unread = nil
	require.NoError(t, a.scan(t.Context()))
	require.Equal(t, charge.Confirmed, a.advance(t, c.ID).Status)
	require.Empty(t, a.openAlerts(t))
}

// TestScanBehindTheTipDoesNotCountAsCurrent reads a long chain in pages.
func TestScanBehindTheTipDoesNotCountAsCurrent(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	scanned := func() time.Time {
		row, err := a.store.GetChain(t.Context(), liveChain)
		require.NoError(t, err)
		return *row.ScannedAt
	}
	before := scanned()
	a.mineBlocks(250)
	require.NoError(t, a.scan(t.Context()))
	require.NoError(t, a.scan(t.Context()))
	require.Equal(t, before, scanned())
	require.NoError(t, a.scan(t.Context()))
	require.True(t, scanned().After(before))
	require.Equal(t, []int64{0, 150, 50, 0}, a.lag)
}

// TestScanOfALaggingDaemonIsReported keeps the time of the last scan.
func TestScanOfALaggingDaemonIsReported(t *testing.T) {
	t.Parallel()
	a := tillOf(t, 100)
	a.blocks = a.blocks[:97]
	require.Error(t, a.scan(t.Context()))
	require.Equal(t, []int64{0, 3}, a.lag)
}
