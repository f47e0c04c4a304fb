package merchant_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func (b *bench) reporter(t *testing.T, currency string) shop {
	t.Helper()
	s := b.signup(t)
	b.send(t, http.MethodPut, "/api/account/reporting", session(s.token), fmt.Sprintf(`{"enabled":true,"reporting_currency":%q}`, currency)).require(t, http.StatusOK)
	return s
}

// enter inserts a ledger entry of 0.02 XMR, worth 3.01 USD.
func (b *bench) enter(t *testing.T, s shop, mode config.Mode, confirmed time.Time, change ...func(*db.InsertLedgerParams)) string {
	t.Helper()
	value, rate, currency := money.MustDecimal("3.01"), money.MustDecimal("150.5"), "USD"
	row := db.InsertLedgerParams{
		ChargeID: secret.NewID("ch_"), MerchantID: s.id, Mode: string(mode), CreatedAt: confirmed.Add(-time.Hour), ConfirmedAt: confirmed,
		Amount: money.MustDecimal("1.5"), Currency: "USD", AmountPiconero: money.OneXMR / 100, ReceivedPiconero: money.OneXMR / 50,
		FiatValue: &value, FiatCurrency: &currency, FiatRate: &rate,
	}
	for _, c := range change {
		c(&row)
	}
	require.NoError(t, b.store.InsertLedger(t.Context(), row))
	return row.ChargeID
}

func (b *bench) report(t *testing.T, apiKey, path string) answer {
	t.Helper()
	return b.send(t, http.MethodGet, "/api/v1/reports/"+path, key(apiKey), "")
}

func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestReportingIsOffUntilItIsSwitchedOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	put := func(body string) answer {
		return b.send(t, http.MethodPut, "/api/account/reporting", session(s.token), body)
	}
	shown := func() string {
		a := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
		return fmt.Sprint(a.field(t, "merchant.reportingEnabled"), " ", a.field(t, "merchant.reportingCurrency"))
	}
	refused := func() {
		for _, path := range []string{"/api/v1/reports/transactions", "/api/reports/summary", "/api/v1/reports/transactions?format=csv&from=x"} {
			b.send(t, http.MethodGet, path, key(s.live), "").require(t, http.StatusForbidden, path)
		}
	}
	require.Equal(t, "false USD", shown())
	refused()
	require.Equal(t, `{"ok":true,"enabled":true,"reporting_currency":"EUR"}`, strings.TrimSpace(put(`{"enabled":true,"reporting_currency":"EUR"}`).body))
	require.Equal(t, "true EUR", shown())
	b.report(t, s.live, "transactions").require(t, http.StatusOK)
	b.report(t, s.test, "summary").require(t, http.StatusOK)
	for _, bad := range []string{
		`{}`, `{"enabled":null}`, `{"enabled":"true"}`, `{"enabled":1}`, `{"enabled":true,"reporting_currency":"XMR"}`,
		`{"enabled":false,"reporting_currency":"eur"}`, `{"enabled":false,"reporting_currency":1}`, `{"reporting_currency":"USD"}`,
	} {
		put(bad).require(t, http.StatusBadRequest, bad)
	}
	require.Equal(t, "true EUR", shown())
	put(`{"enabled":false}`).require(t, http.StatusOK)
	require.Equal(t, "false EUR", shown())
	refused()
}

func TestTransactions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.reporter(t, "USD"), b.reporter(t, "USD")
	at := moment("2026-03-01T00:00:00.123456Z")
	order := `=cmd|' /C calc'!A0,"x"`
	full := b.enter(t, s, "live", at, func(r *db.InsertLedgerParams) { r.OrderID = &order })
	bare := b.enter(t, s, "live", at.Add(time.Hour), func(r *db.InsertLedgerParams) {
		r.FiatValue, r.FiatCurrency, r.FiatRate = nil, nil, nil
	})
	b.enter(t, s, "sandbox", at)
	b.enter(t, other, "live", at)
	const span = `"from":"2026-02-28T23:00:00.000Z","to":"2026-03-02T00:00:00.000Z"`
	const asked = "transactions?from=2026-03-01T01:00:00%2B02:00&to=2026-03-02T00:00:00Z"
	head := func(id, hour string) string {
		created := map[string]string{"00": "2026-02-28T23", "01": "2026-03-01T00"}[hour]
		return `{"charge_id":"` + id + `","created_at":"` + created + `:00:00.123Z","confirmed_at":"2026-03-01T` + hour + `:00:00.123Z","amount":1.5,` +
			`"currency":"USD","amount_xmr":0.01,"amount_received_xmr":0.02,`
	}
	quoted := strings.ReplaceAll(order, `"`, `\"`)
	a := b.report(t, s.live, asked).require(t, http.StatusOK)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	require.Equal(t, `{`+span+`,"transactions":[`+
		head(full, "00")+`"order_id":"`+quoted+`","payout_id":null,"fiat_value":3.01,"fiat_currency":"USD","fiat_rate":150.5},`+
		head(bare, "01")+`"order_id":null,"payout_id":null,"fiat_value":3,"fiat_currency":"USD","fiat_rate":150}]}`, compact(a.body))
	a = b.report(t, s.live, asked+"&include_fiat=false").require(t, http.StatusOK)
	require.Equal(t, `{`+span+`,"transactions":[`+head(full, "00")+`"order_id":"`+quoted+`","payout_id":null},`+
		head(bare, "01")+`"order_id":null,"payout_id":null}]}`, compact(a.body))

	a = b.report(t, s.live, asked+"&format=csv").require(t, http.StatusOK)
	require.Equal(t, "text/csv; charset=utf-8", a.header.Get("Content-Type"))
	require.Equal(t, `attachment; filename="transactions-20260228-20260302.csv"`, a.header.Get("Content-Disposition"))
	lines, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, [][]string{
		{"charge_id", "created_at", "confirmed_at", "amount", "currency", "amount_xmr", "amount_received_xmr", "order_id", "payout_id", "fiat_value", "fiat_currency", "fiat_rate"},
		{full, "2026-02-28T23:00:00.123Z", "2026-03-01T00:00:00.123Z", "1.5", "USD", "0.01", "0.02", "'" + order, "", "3.01", "USD", "150.5"},
		{bare, "2026-03-01T00:00:00.123Z", "2026-03-01T01:00:00.123Z", "1.5", "USD", "0.01", "0.02", "", "", "3", "USD", "150"},
	}, lines)
	a = b.report(t, s.live, asked+"&format=csv&include_fiat=false").require(t, http.StatusOK)
	require.True(t, strings.HasPrefix(a.body, "charge_id,created_at,confirmed_at,amount,currency,amount_xmr,amount_received_xmr,order_id,payout_id\n"+full), a.body)
}

// compact drops the line breaks between the elements of a streamed list.
func compact(body string) string { return strings.ReplaceAll(body, "\n", "") }

func TestTransactionsOfATime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.reporter(t, "USD")
	now := b.clock.Now()
	old := b.enter(t, s, "live", now.AddDate(0, 0, -30).Add(-time.Millisecond))
	first := b.enter(t, s, "live", now.AddDate(0, 0, -30))
	last := b.enter(t, s, "live", now.Add(-time.Microsecond))
	b.enter(t, s, "live", now)
	ids := func(parameters string) string {
		a := b.report(t, s.live, "transactions?format=csv&include_fiat=false&"+parameters).require(t, http.StatusOK)
		lines, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
		require.NoError(t, err)
		var found []string
		for _, line := range lines[1:] {
			found = append(found, line[0])
		}
		return strings.Join(found, " ")
	}
	text := func(at time.Time, zone int) string {
		return url.QueryEscape(at.In(time.FixedZone("", zone*3600)).Format(time.RFC3339Nano))
	}
	require.Equal(t, first+" "+last, ids(""))
	require.Equal(t, old+" "+first+" "+last, ids("from="+text(now.AddDate(-1, 0, 0), 0)))
	require.Equal(t, last, ids("from="+text(now.Add(-time.Second), -7)+"&to="+text(now, 5)))
	require.Equal(t, last, ids("from="+strings.ReplaceAll(text(now.Add(-time.Second), 7), "%2B", "+")), "a plus sign that was not escaped")
	require.Empty(t, ids("from="+text(now, 0)+"&to="+text(now, 3)))
	for _, bad := range []string{
		"from=x", "to=", "from=2026-01-01", "from=2026-01-01T00:00:00", "from=2026-13-01T00:00:00Z", "from=%ff", "from=0000-01-01T00:00:00Z",
		"from=" + text(now.Add(time.Millisecond), 0), "from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00%2B00:01", "format=xml", "format=",
		"include_fiat=yes", "include_fiat=", "to=9999-12-31T23:59:59-12:00",
	} {
		b.report(t, s.live, "transactions?"+bad).require(t, http.StatusBadRequest, bad)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.reporter(t, "USD")
	for _, at := range []string{
		"2025-12-31T23:59:59.999999Z", "2026-01-01T00:00:00Z", "2026-01-31T23:59:59.999999Z", "2026-02-01T00:00:00Z",
		"2026-03-31T23:59:59.999999Z", "2026-04-01T00:00:00Z", "2026-12-31T23:59:59.999999Z", "2027-01-01T00:00:00Z",
	} {
		b.enter(t, s, "live", moment(at))
	}
	b.enter(t, s, "live", moment("2026-01-15T00:00:00Z"), func(r *db.InsertLedgerParams) {
		euro := "EUR"
		r.FiatCurrency = &euro
	})
	b.enter(t, s, "sandbox", moment("2026-01-15T00:00:00Z"))
	b.payouts(t, s)
	for query, want := range map[string]string{
		"year=2026&month=1": `{"period":"monthly","year":2026,"month":1,"quarter":null,"from":"2026-01-01T00:00:00.000Z","to":"2026-02-01T00:00:00.000Z",` +
			`"charges_confirmed":3,"total_xmr":0.06,"total_fiat":6.02,"fiat_currency":"USD","platform_fees_xmr":0.000000000001,"payouts":1,"payouts_xmr":0.5}`,
		"period=quarterly&year=2026&quarter=1": `{"period":"quarterly","year":2026,"month":null,"quarter":1,"from":"2026-01-01T00:00:00.000Z","to":"2026-04-01T00:00:00.000Z",` +
			`"charges_confirmed":5,"total_xmr":0.1,"total_fiat":12.04,"fiat_currency":"USD","platform_fees_xmr":0.000000000002,"payouts":2,"payouts_xmr":1}`,
		"period=annual&year=2026": `{"period":"annual","year":2026,"month":null,"quarter":null,"from":"2026-01-01T00:00:00.000Z","to":"2027-01-01T00:00:00.000Z",` +
			`"charges_confirmed":7,"total_xmr":0.14,"total_fiat":18.06,"fiat_currency":"USD","platform_fees_xmr":0.000000000002,"payouts":2,"payouts_xmr":1}`,
		"period=annual&year=2024": `{"period":"annual","year":2024,"month":null,"quarter":null,"from":"2024-01-01T00:00:00.000Z","to":"2025-01-01T00:00:00.000Z",` +
			`"charges_confirmed":0,"total_xmr":0,"total_fiat":0,"fiat_currency":"USD","platform_fees_xmr":0,"payouts":0,"payouts_xmr":0}`,
	} {
		require.Equal(t, want, strings.TrimSpace(b.report(t, s.live, "summary?"+query).require(t, http.StatusOK).body))
	}
	require.Contains(t, b.report(t, s.test, "summary?year=2026&month=01").body,
		`"charges_confirmed":1,"total_xmr":0.02,"total_fiat":3.01,"fiat_currency":"USD","platform_fees_xmr":0,"payouts":0,"payouts_xmr":0}`)
	for _, bad := range []string{
		"month=0", "month=13", "month=x", "month=", "month=1.5", "month=-1", "month=%2B1", "year=1969", "year=3000", "year=99999999999999999999", "year=",
		"period=quarterly&quarter=0", "period=quarterly&quarter=5", "period=weekly", "period=", "period=Monthly",
	} {
		b.report(t, s.live, "summary?"+bad).require(t, http.StatusBadRequest, bad)
	}
}

// payouts inserts four payouts: two that were sent, in January and March 2026, one that failed,
// and one that is not sent yet.
func (b *bench) payouts(t *testing.T, s shop) {
	t.Helper()
	for i, p := range []struct{ status, sent string }{
		{"confirmed", "2026-01-01T00:00:00Z"}, {"broadcast", "2026-03-31T23:59:59.999Z"}, {"failed", "2026-01-02T00:00:00Z"}, {"building", ""},
	} {
		id := fmt.Sprintf("po_%024x", i)
		require.NoError(t, b.store.InsertPayout(t.Context(), db.InsertPayoutParams{
			ID: id, MerchantID: s.id, WalletID: "live-1", AddressSealed: []byte{1}, AddressMasked: "x", Gross: money.OneXMR,
			ChargesPaid: 1, Outputs: 1, CreatedAt: moment("2026-01-01T00:00:00Z"),
		}))
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE payouts SET status = $2, tx_hash = $1, fee = 1, amount = 500000000000, sent_at = nullif($3, '')::timestamptz WHERE id = $1", id, p.status, p.sent)
		require.NoError(t, err)
	}
}

func TestSummaryOfTheCurrentPeriod(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.reporter(t, "EUR")
	now := b.clock.Now()
	for period, part := range map[string]string{
		"monthly": fmt.Sprintf(`"month":%d,"quarter":null`, now.Month()), "quarterly": fmt.Sprintf(`"month":null,"quarter":%d`, (now.Month()+2)/3),
		"annual": `"month":null,"quarter":null`,
	} {
		a := b.report(t, s.live, "summary?period="+period).require(t, http.StatusOK)
		require.Contains(t, a.body, fmt.Sprintf(`{"period":%q,"year":%d,%s,`, period, now.Year(), part))
		require.Equal(t, "EUR", a.text(t, "fiat_currency"))
	}
	require.Contains(t, b.report(t, s.live, "summary").body, `{"period":"monthly"`)
}

func TestLongReportsNeedLittleMemory(t *testing.T) { //nolint:paralleltest // other tests would use memory of the same process
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // little of the heap is garbage
	b := setup(t)
	s := b.reporter(t, "USD")
	const rows, ceiling = 100_000, 24 << 20
	_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO ledger (charge_id, merchant_id, mode, created_at, confirmed_at, amount, currency,
			amount_piconero, received_piconero, order_id, fiat_value, fiat_currency, fiat_rate)
		SELECT 'ch_' || lpad(to_hex(i), 24, '0'), $1, 'live', $2, $2::timestamptz - (1 + i / 700) * interval '1 second', 1.5, 'USD',
			10000000000, 10000000000, repeat('x', 180), 1.5, 'USD', 150 FROM generate_series(1, $3::int) i`, s.id, b.clock.Now(), rows)
	require.NoError(t, err)
	for _, format := range []string{"json", "csv"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/api/v1/reports/transactions?format="+format, http.NoBody)
		require.NoError(t, err)
		req.Header.Set("x-api-key", s.live)
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, res.StatusCode)
		seen, charges, peak := 0, 0, uint64(0)
		buffer := make([]byte, 1<<20)
		for err == nil {
			var n int
			n, err = io.ReadFull(res.Body, buffer)
			seen += n
			charges += strings.Count(string(buffer[:n]), "ch_0")
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		require.NoError(t, res.Body.Close())
		require.InDelta(t, rows, charges, 60, "identifiers on the borders of two reads are not counted")
		require.Greater(t, seen, ceiling, "the report itself is larger")
		require.Less(t, peak, before.HeapAlloc+ceiling, format)
		t.Logf("%s: %d bytes, heap from %d to at most %d", format, seen, before.HeapAlloc, peak)
	}
}
