package merchant_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/opdesk"
)

// maxPage is the maximum size of a page in bytes.
const maxPage = 100 << 10

// listed returns, for each table that pages list, the columns that differ between copied rows.
// The values are SQL with n, the row's number, and o, the row that is copied.
func listed() map[string]map[string]string {
	id := func(prefix string) string { return "'" + prefix + "_' || lpad(n::text, 24, '0')" }
	return map[string]map[string]string{
		"payment_requests":  {"id": id("pr"), "description": "repeat('tea ', 25)"},
		"ledger":            {"charge_id": id("ch")},
		"refunds":           {"id": id("rf"), "charge_id": id("ch")},
		"charges":           {"id": id("ch"), "subaddress": "'a' || n", "subaddress_index": "n + 5000", "description": "repeat('tea ', 25)", "order_id": "'A-' || n"},
		"deliveries":        {"id": id("whd"), "event_id": "n + 100000", "error": "repeat('x', 60)"},
		"events":            {"id": "n + 100000", "part": "n::text", "place": "NULL"},
		"payouts":           {"id": id("po"), "error": "repeat('x', 60)"},
		"swaps":             {"id": id("swp"), "id_provider": "'p' || n"},
		"alerts":            {"id": "n + 100000", "subject": "o.subject || n"},
		"audit":             {"id": "n + 100000"},
		"actions":           {"id": "n + 100000"},
		"received_payments": {"id": "n + 100000", "tx_hash": "encode(sha256(n::text::bytea), 'hex')"},
	}
}

// copied returns the condition that selects the row of a table to copy.
func (s belongings) copied(table string) string {
	switch table {
	case "charges":
		return "id = '" + s.charge + "'"
	case "received_payments":
		return "id = " + s.unmatched
	case "alerts":
		return "id = " + s.alert
	case "audit":
		return "true"
	default:
		return "merchant_id = '" + s.id + "'"
	}
}

// fills copies a row of each listed table the given number of times.
func (b *bench) fills(t *testing.T, s belongings, rows int) {
	t.Helper()
	tx, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	// The rows to which a copy refers need not exist.
	_, err = tx.Exec(t.Context(), "SET LOCAL session_replication_role = replica")
	require.NoError(t, err)
	for table, differs := range listed() {
		var pairs []string
		for _, column := range slices.Sorted(maps.Keys(differs)) {
			pairs = append(pairs, "'"+column+"', "+differs[column])
		}
		n, err := tx.Exec(t.Context(), fmt.Sprintf(`INSERT INTO %[1]s OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(o, jsonb_build_object(%[2]s))).*
			FROM %[1]s o, generate_series(1, %[3]d) n WHERE o.ctid = (SELECT ctid FROM %[1]s WHERE %[4]s LIMIT 1)`, table, strings.Join(pairs, ", "), rows, s.copied(table)))
		require.NoError(t, err, table)
		require.EqualValues(t, rows, n.RowsAffected(), table)
	}
	require.NoError(t, tx.Commit(t.Context()))
}

// TestLongListsAreShortPages checks that a page of either desk stays below 100 KB no matter how
// many rows there are, also in the language with the longest texts. A month with more charges
// than a page shows is still complete in its file.
func TestLongListsAreShortPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	live := b.enterShop(t, s.shop, "")
	operator := b.enterDesk(t, b.operatorOf(t))
	b.exec(t, "DELETE FROM actions")
	live.post(t, "/settings/refunds", map[string][]string{"auto_up_to": {"0"}}).leads(t, "/settings?done=1")
	b.exec(t, "INSERT INTO audit (at, actor, action, subject, detail) VALUES (now(), 'cli:root', 'merchant.suspend', $1, '{}')", s.id)
	b.fills(t, s, 300)
	// All copies belong to one charge, whose page lists them.
	b.exec(t, "UPDATE refunds SET charge_id = $1", s.charge)
	b.exec(t, "UPDATE events SET resource_id = $1 WHERE merchant_id = $2", s.charge, s.id)
	b.exec(t, "UPDATE received_payments SET charge_id = $1, merchant_id = $2 WHERE id > 100000", s.charge, s.id)
	for range 50 {
		b.signup(t)
	}
	live.header = map[string]string{"Accept-Language": "ru"}
	sandbox := live.inSandbox(t)
	routes, _ := desk.Routes()
	for _, v := range []shopper{live, sandbox} {
		for _, route := range routes {
			if method, path := s.shopPath(route); method == http.MethodGet && !strings.Contains(path, ".") {
				a := v.send(t, method, path, nil)
				require.Less(t, len(a.body), maxPage, path)
			}
		}
	}
	for _, path := range s.deskPages() {
		require.Less(t, len(operator.page(t, path)), maxPage, path)
	}
	for _, path := range []string{"/charges", "/payment-requests", "/refunds", "/deliveries", "/payouts", "/swaps", "/actions"} {
		require.Greater(t, strings.Count(live.page(t, path), "<tr role"), 49, "%s is full", path)
	}
	whole := operator.page(t, opdesk.Root+"/charges/"+s.charge)
	require.Equal(t, 2, strings.Count(whole, "The first 50 of "), "payments and refunds are cut")
	require.Equal(t, 1, strings.Count(whole, "The latest 50 of "), "the timeline is cut")
	for _, name := range []string{"payments", "deliveries", "refunds"} {
		next := ""
		for _, link := range regexpFind(`<a href="([^"]+)" rel="next">`, live.page(t, "/charges/"+s.charge)) {
			if strings.Contains(link, "?"+name+"=") {
				next = link
			}
		}
		require.NotEmpty(t, next, "there is more of the %s", name)
		require.Less(t, len(live.page(t, next)), maxPage, next)
	}
	pages, rows := 0, 0
	for next := "/payouts"; next != ""; pages++ {
		page := live.page(t, next)
		rows += strings.Count(page, "<tr role") - 1
		next = strings.Join(regexpFind(`<a href="([^"]+)" rel="next">`, page), "")
	}
	require.Equal(t, []int{7, 301}, []int{pages, rows}, "all payouts, page by page")
	live.header = nil
	require.Contains(t, live.page(t, "/reports"), "There are 301 charges in this month")
	file := live.send(t, http.MethodGet, "/reports/transactions.csv", nil)
	require.Equal(t, 302, strings.Count(strings.TrimSpace(file.body), "\n")+1, "a heading, and all of them")
	require.Contains(t, file.header.Get("Content-Disposition"), "attachment")
	require.Contains(t, file.header.Get("Content-Type"), "text/csv")
	require.True(t, strings.HasPrefix(file.body, "\uFEFFcharge_id,"), "Excel reads a table without a mark in the machine's code page")
}
