package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

func TestBalance(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	balance := func() answer {
		return b.send(t, http.MethodGet, "/api/payouts/balance", session(s.token), "").require(t, http.StatusOK)
	}
	require.JSONEq(t, `{"unpaid_charges":0,"total_xmr":0,"fee_rate":0,"net_xmr":0,"has_payout_address":false,"custody":"hosted","fee_owed_xmr":0,"locked_xmr":0,"payout_hold_until":null}`, balance().body)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE merchants SET fee_rate = 0.005 WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
	for i, height := range []int64{100, 195} {
		id := b.charge(t, s, "live")
		mature := height
		require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
			WalletID: "live-1", TxHash: id, SubaddressIndex: int32(i + 1), ChargeID: &id, MerchantID: &s.id,
			Amount: money.OneXMR, Outputs: 1, Height: &height, MatureHeight: &mature, FirstSeenAt: b.clock.Now(),
		}))
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", id)
		require.NoError(t, err)
	}
	pgtest.SetChain(t, b.store, "live-1", 200)
	require.Equal(t, `{"unpaid_charges":2,"total_xmr":2,"fee_rate":0.005,"net_xmr":1.99,"has_payout_address":false,"custody":"hosted","fee_owed_xmr":0,"locked_xmr":1,"payout_hold_until":null}`,
		strings.TrimSpace(balance().body))
	b.exec(t, `UPDATE merchants SET payout_address_sealed = '\x01', payout_address_masked = '48DCHZ…3FaS4u' WHERE merchant_id = $1`, s.id)
	v := b.enterShop(t, s, "")
	page := v.page(t, "/payouts")
	require.Contains(t, page, "Yes, pay out 1 XMR", "what is locked is not promised")
	require.Contains(t, page, "Locked (10 blocks)")
	pgtest.SetChain(t, b.store, "live-1", 101)
	require.NotContains(t, v.page(t, "/payouts"), `action="/payouts/sweep"`, "all is locked")
}

func TestListOfPayouts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	id := "po_0123456789abcdef01234567"
	require.NoError(t, b.store.InsertPayout(t.Context(), db.InsertPayoutParams{
		ID: id, MerchantID: s.id, WalletID: "live-1", AddressSealed: []byte{1}, AddressMasked: "48DCHZ…3FaS4u",
		Gross: money.OneXMR, ChargesPaid: 1, Outputs: 1, CreatedAt: b.clock.Now(),
	}))
	a := b.send(t, http.MethodGet, "/api/payouts", session(s.token), "").require(t, http.StatusOK)
	require.Contains(t, a.body, `{"payouts":[{"payout_id":"`+id+`","status":"building","amount_xmr":0,"fee_xmr":0,"network_fee_xmr":0,"tx_hash":null,"charges_paid":1,"address":"48DCHZ…3FaS4u","error":null,`)
	require.Equal(t, `{"payouts":[]}`, strings.TrimSpace(b.send(t, http.MethodGet, "/api/payouts", session(other.token), "").body))
}

// TestTheBalanceShowsWhatPayoutsHaveTaken checks that the balance counts amounts in unconfirmed
// payouts. It does not count finished payouts, nor those of other merchants.
func TestTheBalanceShowsWhatPayoutsHaveTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	balance := func() answer { return b.as(t, s, http.MethodGet, "/api/payouts/balance", "").require(t, http.StatusOK) }
	require.NotContains(t, balance().body, "in_payouts_xmr")
	for i, p := range []struct {
		merchant, status string
		gross            money.Piconero
	}{
		{s.id, "building", 3 * money.OneXMR / 2}, {s.id, "broadcast", money.OneXMR/4 + 1},
		{s.id, "confirmed", 7 * money.OneXMR}, {s.id, "failed", 9 * money.OneXMR}, {other.id, "broadcast", 5 * money.OneXMR},
	} {
		b.exec(t, `INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs, tx_hash, created_at, sent_at)
			VALUES ($1, $2, 'live-1', $3, '\x01', '48DCHZ…3FaS4u', $4::text::piconero, 0, 1, 1, $1, now(), now())`, fmt.Sprintf("po_%024x", i), p.merchant, p.status, fmt.Sprint(uint64(p.gross)))
	}
	require.Equal(t, json.Number("1.750000000001"), balance().field(t, "in_payouts_xmr"))
	require.Contains(t, b.enterShop(t, s, "").page(t, "/"), "1.750000000001 XMR")
}
