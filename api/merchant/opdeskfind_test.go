package merchant_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/config"
)

// TestOneFieldFindsAnything walks from the field on each page to what it finds, and to its
// workflow.
func TestOneFieldFindsAnything(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.TemporalUI, d.TemporalNamespace = "http://ui.example", "durapay" })
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	id, tx := b.sold(t, s.shop, "1002")
	b.exec(t, `INSERT INTO audit (at, actor, action, subject, detail) VALUES (now(), 'cli:root', 'merchant.suspend', $1, '{}')`, s.id)
	find := func(text string) answer {
		t.Helper()
		return v.send(t, http.MethodGet, opdesk.Root+"/find?"+url.Values{"text": {text}}.Encode(), nil)
	}
	for _, page := range []string{"/", "/health", "/charges", "/charges/" + id, "/find"} {
		_, content, _ := strings.Cut(v.page(t, opdesk.Root+page), "<main")
		require.Equal(t, page == "/" || page == "/find", strings.Contains(content, `role="search"`), page)
		require.Contains(t, v.page(t, opdesk.Root+page), `role="search"`, page)
	}
	for text, leads := range map[string]string{
		id: "/charges/" + id, "1002": "/charges/" + id, tx: "/charges/" + id, s.payout: "/payouts/" + s.payout, s.refund: "/refunds/" + s.refund,
		s.trade: "/trades/" + s.trade, s.email: "/merchants/" + s.id,
	} {
		find(text).leads(t, opdesk.Root+leads)
	}
	require.Contains(t, find("nothing at all").body, "Nothing has this identifier")
	require.Contains(t, v.page(t, opdesk.Root+"/audit"), opdesk.Root+"/find?text="+s.id)
	find(s.id).leads(t, opdesk.Root+"/merchants/"+s.id)
	swap := find(s.swap)
	require.Equal(t, http.StatusOK, swap.status)
	require.Contains(t, swap.body, "http://ui.example/namespaces/durapay/workflows/swap-"+s.swap)

	b.exec(t, "UPDATE charges SET order_id = '1002' WHERE id = $1", s.charge)
	two := find("1002").body
	for _, want := range []string{opdesk.Root + "/charges/" + id, opdesk.Root + "/charges/" + s.charge, `value="1002"`} {
		require.Contains(t, two, want)
	}
	shown := v.page(t, opdesk.Root+"/charges/"+id)
	for _, want := range []string{"Timeline", tx, "1002", "http://ui.example/namespaces/durapay/workflows/charge-" + id, opdesk.Root + "/merchants/" + s.id} {
		require.Contains(t, shown, want)
	}
	require.NotContains(t, shown, buyerEmail)
	for path, workflow := range map[string]string{"/payouts/" + s.payout: "payout-" + s.payout, "/refunds/" + s.refund: "refund-" + s.refund, "/trades/" + s.trade: "trade-" + s.trade} {
		page := v.page(t, opdesk.Root+path)
		require.Contains(t, page, "/workflows/"+workflow)
		require.Contains(t, page, "Timeline")
	}
	require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, opdesk.Root+"/charges/ch_none", nil).status)
}

// TestDeskListsAreFiltered follows the links above the lists.
func TestDeskListsAreFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	test := b.charge(t, s.shop, config.Sandbox)
	list := func(path string, has, lacks string) {
		t.Helper()
		page := v.page(t, opdesk.Root+path)
		require.Contains(t, page, has, path)
		require.NotContains(t, page, lacks, path)
	}
	list("/charges", s.charge, test)
	list("/charges?mode=sandbox", test, s.charge)
	list("/charges?status=confirmed", "No charge has this state.", s.charge)
	list("/charges?merchant_id="+s.id, s.charge, test)
	list("/payouts?status=failed", s.payout, "No payout has this state.")
	list("/payouts?status=building", "No payout has this state.", s.payout)
	list("/refunds?status=open", s.refund, "No refund has this state.")
	list("/trades", s.trade, "No trade has this state.")
	list("/charges?merchant_id="+b.signup(t).id, "No charge yet.", s.charge)
	require.Contains(t, v.page(t, opdesk.Root+"/merchants/"+s.id), opdesk.Root+"/charges?merchant_id="+s.id)
	require.Equal(t, http.StatusBadRequest, v.send(t, http.MethodGet, opdesk.Root+"/charges?status=lost", nil).status)
}

// TestTheHealthPageComparesNodesAndBooks shows a wallet that holds less than the books say.
func TestTheHealthPageComparesNodesAndBooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterDesk(t, b.operatorOf(t))
	b.exec(t, `INSERT INTO nodes (wallet_id, asked_at, answered_at, height, newest_block_at, balance, owed, balance_height, balance_at)
		VALUES ('live-1', $1, $1, 3500123, $1, 1000000000000, 1500000000000, 3500123, $1)`, b.clock.Now())
	b.exec(t, "INSERT INTO backups (finished_at) VALUES ('2026-01-01Z')")
	page := v.page(t, opdesk.Root+"/health")
	for _, want := range []string{config.Version, "3500123", "-0.5", "it holds less than the books say", "2026-01-01 00:00:00 UTC", "the last backup is"} {
		require.Contains(t, page, want)
	}
	require.Contains(t, v.page(t, opdesk.Root+"/"), "live-1: it holds less than the books say")
}
