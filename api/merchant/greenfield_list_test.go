package merchant_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
)

// TestGreenfieldListsTenThousand lists the invoices of a merchant who has 10,000, next to those
// of another merchant. It uses every filter, and each must use an index.
func TestGreenfieldListsTenThousand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, m := range []shop{s, other} {
		_, err := b.store.Pool().Exec(t.Context(), `
			INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency, amount_piconero,
				confirm_from_piconero, status, confirmations_required, order_id, created_at, expires_at, confirmed_at, invoice_status, metadata)
			SELECT 'ch_' || lpad(to_hex($2 * 100000 + n), 24, '0'), $1, 'live', 'api', 'live-1', $2 * 100000 + n, 'address ' || $2 || '-' || n, 1, 'XMR', 1,
				1, CASE n % 100 WHEN 0 THEN 'pending' WHEN 1 THEN 'expired' ELSE 'confirmed' END, 10, 'order-' || n, $3::timestamptz + n * interval '1 minute',
				$3::timestamptz, CASE WHEN n % 100 > 1 THEN $3::timestamptz END, CASE n % 100 WHEN 0 THEN 'New' WHEN 1 THEN 'Expired' ELSE 'Settled' END, '{}'
			FROM generate_series(1, 10000) n`, m.id, i+1, begin)
		require.NoError(t, err)
	}
	_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO addresses (wallet_id, subaddress_index, address)
		SELECT wallet_id, subaddress_index, subaddress FROM charges`)
	require.NoError(t, err)
	_, err = b.store.Pool().Exec(t.Context(), "ANALYZE charges, addresses")
	require.NoError(t, err)
	k := b.scoped(t, s, "shop", permission.ViewInvoices)
	list := func(query string) []string {
		t.Helper()
		a := b.send(t, http.MethodGet, "/api/v1/stores/"+s.id+"/invoices?"+query, token(k), "")
		require.Equal(t, http.StatusOK, a.status, a.body)
		return idsIn(t, a)
	}
	id := func(n int) string { return fmt.Sprintf("ch_%024x", 100_000+n) }
	require.Len(t, list(""), 1000)
	require.Equal(t, []string{id(10000), id(9999)}, list("take=2"))
	require.Equal(t, []string{id(2)}, list("take=1&skip=9998"))
	require.Empty(t, list("skip=10000"))
	require.Equal(t, []string{id(10000), id(9900)}, list("status=New&take=2"))
	require.Equal(t, []string{id(9901), id(9900), id(9801)}, list("status=New&status=Expired&status=New&skip=1&take=3&status="))
	require.Len(t, list("status=New&status=Expired"), 200)
	require.Empty(t, list("status=Invalid"))
	require.Equal(t, []string{id(9), id(7)}, list("orderId=order-7&orderId=order-9&orderId=none"))
	require.Equal(t, []string{id(100)}, list("orderId=order-100&status=New"))
	require.Empty(t, list("orderId=order-100&status=Settled"))
	for _, text := range []string{id(5), "order-5", "address+1-5"} {
		require.Equal(t, []string{id(5)}, list("textSearch="+text), text)
	}
	require.Empty(t, list("textSearch=address+2-5"), "of another store")
	require.Empty(t, list("textSearch=%27%3B--"))
	from, to := begin.Add(10*time.Minute).Unix(), begin.Add(12*time.Minute).Unix()
	require.Equal(t, []string{id(12), id(11), id(10)}, list(fmt.Sprintf("startDate=%d&endDate=%d", from, to)))
	require.Equal(t, []string{id(12), id(11), id(10)}, list("status=Settled&startDate="+begin.Add(10*time.Minute).Format(time.RFC3339)+fmt.Sprintf("&endDate=%d", to)))
	for _, bad := range []string{"take=0", "take=1001", "take=x", "skip=-1", "skip=100001", "status=new", "startDate=yesterday", "endDate=-1", "orderId=%ff"} {
		a := b.send(t, http.MethodGet, "/api/v1/stores/"+s.id+"/invoices?"+bad, token(k), "")
		require.Equal(t, http.StatusUnprocessableEntity, a.status, bad)
	}
	b.requireIndices(t, s, begin)
}

// requireIndices reads the query plan of each list. No plan may scan all charges.
func (b *bench) requireIndices(t *testing.T, s shop, begin time.Time) {
	t.Helper()
	code, err := os.ReadFile("../../internal/postgres/db/invoices.sql.go")
	require.NoError(t, err)
	indices := map[string][]string{
		"InvoiceIDs": {"charges_list"}, "InvoiceIDsByStatus": {"charges_invoice_status"}, "InvoiceIDsByOrder": {"charges_order"},
		"SearchInvoiceIDs": {"charges_order", "addresses_address_key", "charges_pkey"}, "GetCharges": {"charges_pkey"},
	}
	since, until, none := begin, begin.AddDate(1, 0, 0), []string{}
	for name, args := range map[string]map[string]any{
		"InvoiceIDs":         {},
		"InvoiceIDsByStatus": {"statuses": []string{"New", "Expired"}, "upto": 50},
		"InvoiceIDsByOrder":  {"orders": []string{"order-7"}, "statuses": none},
		"SearchInvoiceIDs":   {"text": "order-5", "text_order": "order-5", "orders": none, "statuses": none},
		"GetCharges":         {"ids": []string{"ch_000000000000000000000001"}},
	} {
		_, text, found := strings.Cut(string(code), "-- name: "+name+" :many\n")
		require.True(t, found, name)
		text, _, _ = strings.Cut(text, "`")
		_, params, found := strings.Cut(string(code), "func (q *Queries) "+name+"(")
		require.True(t, found, name)
		maps.Copy(args, map[string]any{"merchant_id": s.id, "mode": "live", "since": since, "until": until, "skip": 0, "take": 50})
		rows, err := b.store.Pool().Query(t.Context(), "EXPLAIN "+text, append([]any{pgx.QueryExecModeSimpleProtocol}, ordered(params, args)...)...)
		require.NoError(t, err, name)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err, name)
		require.NotContains(t, strings.Join(plan, "\n"), "Seq Scan on charges", name)
		for _, index := range indices[name] {
			require.Contains(t, strings.Join(plan, "\n"), index, name)
		}
	}
}

// ordered are arguments in the order in which the generated function passes them.
func ordered(function string, args map[string]any) []any {
	_, call, _ := strings.Cut(function, "q.db.Query(ctx, ")
	call, _, _ = strings.Cut(call, ")")
	var list []any
	for _, arg := range strings.Split(call, ",")[1:] {
		arg = strings.TrimPrefix(strings.TrimSpace(arg), "arg.")
		for name, value := range args {
			if strings.EqualFold(strings.ReplaceAll(name, "_", ""), arg) {
				list = append(list, value)
			}
		}
	}
	return list
}

func idsIn(t *testing.T, a answer) []string {
	t.Helper()
	var ids []string
	for part := range strings.SplitSeq(a.body, `{"id":"`) {
		if strings.HasPrefix(part, "ch_") {
			ids = append(ids, part[:27])
		}
	}
	return ids
}
