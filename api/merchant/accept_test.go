package merchant_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// receive adds a payment with all its confirmations to a charge, in the live wallet.
func (b *bench) receive(t *testing.T, id string, amount money.Piconero) {
	t.Helper()
	found, err := b.store.Charge(t.Context(), id, b.clock.Now())
	require.NoError(t, err)
	height := int64(100)
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live-1", TxHash: secret.NewSecret(), SubaddressIndex: found.Charge.SubaddressIndex, ChargeID: &id,
		MerchantID: &found.Charge.MerchantID, Amount: amount, Outputs: 1, Height: &height, MatureHeight: &height, FirstSeenAt: b.clock.Now(),
	}))
	pgtest.SetChain(t, b.store, "live-1", 200)
}

func testAcceptUnderpaid(t *testing.T, b *bench) {
	s, other := b.signup(t), b.signup(t)
	accept := func(id string, who as) answer {
		return b.send(t, http.MethodPost, "/api/charges/"+id+"/accept-underpaid", who, "")
	}
	pending := b.send(t, http.MethodPost, "/api/charges", key(s.live), `{"amount":1,"currency":"XMR"}`).require(t, http.StatusOK).text(t, "id")
	accept(pending, key(s.live)).require(t, http.StatusBadRequest, "nothing has come")
	b.receive(t, pending, money.OneXMR/2)
	for _, who := range []as{key(s.test), key(other.live)} {
		accept(pending, who).require(t, http.StatusNotFound)
	}
	for _, unknown := range []string{"ch_x", "ch_0123456789abcdef01234567", "%00", "%ff"} {
		accept(unknown, key(s.live)).require(t, http.StatusNotFound, unknown)
	}
	first := accept(pending, key(s.live)).require(t, http.StatusOK)
	require.Equal(t, "confirmed", first.text(t, "status"))
	require.Equal(t, false, first.field(t, "late"))
	require.NotNil(t, first.field(t, "underpaid_accepted_at"))
	require.Contains(t, first.body, `"amount_received_xmr":0.5,"amount_due_xmr":0.5,`)
	require.Equal(t, first.body, accept(pending, key(s.live)).require(t, http.StatusOK).body, "accepting twice is accepting once")

	// The workflow of an expired charge has ended.
	expired := b.charge(t, s, "live")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'expired' WHERE id = $1", expired)
	require.NoError(t, err)
	b.receive(t, expired, 1)
	b.webhook(t, s, `{"url":"http://127.0.0.1:1/","events":["charge.late_confirmed"]}`).require(t, http.StatusOK)
	late := accept(expired, key(s.live)).require(t, http.StatusOK)
	require.Equal(t, "confirmed", late.text(t, "status"))
	require.Equal(t, true, late.field(t, "late"))
	delivery := b.awaitDelivery(t, s, "dropped")
	require.Equal(t, expired, delivery.ResourceID)
	require.Equal(t, charge.EventLateConfirmed, delivery.Event)
	balance := b.send(t, http.MethodGet, "/api/charges/"+expired, key(s.live), "").require(t, http.StatusOK)
	require.Equal(t, late.body, balance.body)

	full := b.charge(t, s, "live")
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", full)
	require.NoError(t, err)
	accept(full, key(s.live)).require(t, http.StatusBadRequest, "it was confirmed without")
}
