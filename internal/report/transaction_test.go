package report_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/report"
	"github.com/durapay/durapay/internal/wire"
)

func TestRecordHasTheColumnsOfTheJSON(t *testing.T) {
	t.Parallel()
	at := wire.TimeOf(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	order, payout, value, currency, rate := "=A", "po_1", money.MustDecimal("1.5"), money.EUR, money.MustDecimal("150.25")
	full := report.Transaction{
		ChargeID: "ch_1", CreatedAt: at, ConfirmedAt: at, Amount: money.MustDecimal("0.10"), Currency: money.USD,
		AmountXMR: 1, AmountReceivedXMR: money.OneXMR, OrderID: &order, PayoutID: &payout,
		Fiat: &report.Fiat{FiatValue: &value, FiatCurrency: &currency, FiatRate: &rate},
	}
	const when = "2026-11-21T09:30:00.000Z"
	require.Equal(t, []string{"ch_1", when, when, "0.1", "USD", "0.000000000001", "1", "'=A", "po_1", "1.5", "EUR", "150.25"}, full.Record())
	text, err := json.Marshal(full)
	require.NoError(t, err)
	require.Equal(t, `{"charge_id":"ch_1","created_at":"`+when+`","confirmed_at":"`+when+`","amount":0.1,"currency":"USD",`+
		`"amount_xmr":0.000000000001,"amount_received_xmr":1,"order_id":"=A","payout_id":"po_1","fiat_value":1.5,"fiat_currency":"EUR","fiat_rate":150.25}`, string(text))

	for fiat, names := range map[*report.Fiat][]string{nil: report.Columns(false), {}: report.Columns(true)} {
		empty := report.Transaction{Fiat: fiat}
		text, err := json.Marshal(empty)
		require.NoError(t, err)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(text, &fields))
		require.Len(t, fields, len(names))
		for _, name := range names {
			require.Contains(t, fields, name)
		}
		require.Len(t, empty.Record(), len(names))
	}
}

// TestValueIsExact shows that a value is within half a cent of the product.
func TestValueIsExact(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1.5", report.ValueOf(money.OneXMR/100, money.MustDecimal("150")).String())
	require.Equal(t, "0.01", report.ValueOf(5_000_000_000, money.MustDecimal("1")).String(), "half a cent is a cent")
	rapid.Check(t, func(t *rapid.T) {
		received := money.Piconero(rapid.Uint64().Draw(t, "received"))
		rate := money.DecimalFromInt(rapid.Int64Range(1, 1_000_000).Draw(t, "rate"))
		value := report.ValueOf(received, rate)
		require.LessOrEqual(t, value.Decimals(), int32(2))
		off := value.Sub(received.Decimal().Mul(rate)).Abs()
		require.LessOrEqual(t, off.Cmp(money.MustDecimal("0.005")), 0)
	})
}
