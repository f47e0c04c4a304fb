package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// listsBar is how much longer reads may take among many more charges.
	listsBar = 1.2
	// firstFakeIndex is far above the subaddresses that the wallet makes.
	firstFakeIndex = 10_000_000
	// deepDownBlocks are more than the watcher looks back.
	deepDownBlocks = 130
)

// books are the merchants whose charges are read: one with few, and one with the rest of
// the table.
type books struct{ few, many *shop }

// bookRead is one way in which charges are read: the path in a shop with so many.
type bookRead struct {
	name string
	path func(s *shop, charges int) string
}

// lists compares reads of charges among few and among very many.
func (b *bench) lists(ctx context.Context) {
	w := b.testbed
	k := books{w.openShop(ctx, nil), w.openShop(ctx, nil)}
	// The payments are in the first block, which the watcher must not look at any more.
	fixture.Do(w.Chain.Mine(ctx, deepDownBlocks))
	w.insertCharges(ctx, k.few.id(), b.sizes.few)
	plain := []bookRead{
		{"GET /api/charges", func(*shop, int) string { return "/api/charges" }},
		{"GET /api/charges/:id", func(s *shop, charges int) string {
			return "/api/charges/" + fakeID(s.id(), rand.IntN(charges)) //nolint:gosec // no secret
		}},
	}
	before := make([][]time.Duration, len(plain))
	for i, read := range plain {
		before[i] = b.timeRead(ctx, read, k.few, b.sizes.few)
	}
	b.fillBooks(ctx, k)
	b.books = k
	for i, read := range plain {
		after := b.timeRead(ctx, read, k.many, b.sizes.among-b.sizes.few)
		ratio := quotient(percentile(after, 50), percentile(before[i], 50))
		b.table.add(row{
			measure: read.name + " among " + thousands(b.sizes.among), value: spread(after),
			reference: "among " + thousands(b.sizes.few) + ": " + spread(before[i]),
			ratio:     ratioText(ratio) + " (p50)", bar: fmt.Sprintf("p50 ≤ %.1f times", listsBar), met: ratio <= listsBar,
		})
	}
}

// timeRead times a read of one shop, once it is in the caches.
func (b *bench) timeRead(ctx context.Context, read bookRead, s *shop, charges int) []time.Duration {
	do := func(ctx context.Context, _ int64) error {
		return s.testbed.get(ctx, s.BaseURL+read.path(s, charges), s.APIKey)
	}
	times(ctx, b.sizes.reads/4, do)
	return times(ctx, b.sizes.reads, do)
}

// warmReads are the first reads of a page, which do not count.
const warmReads = 5

// fakeID is the ID of a charge that insertCharges made.
func fakeID(merchantID string, n int) string { return fmt.Sprintf("ch_%s%08x", merchantID[:16], n) }

const (
	// deskBar is how much longer than the reads behind it the first byte of a page may take.
	deskBar = 1.5
	// pageBar is what a page may have, in bytes.
	pageBar = 100_000
	// deskLists is how many entries of each kind the shop has that are no charges.
	deskLists = 60
)

// deskPage is a page of the desk, and the reads of the API that its content comes from.
type deskPage struct {
	path  string
	reads []string
}

// deskPages are the pages of a shop. Those without a read are only weighed.
func deskPages(charge, webhook string) []deskPage {
	const me = "/api/auth/me"
	now := time.Now().UTC()
	month := url.Values{"period": {"monthly"}, "year": {now.Format("2006")}, "month": {now.Format("1")}}.Encode()
	return []deskPage{
		{"/", []string{"/api/overview", "/api/payouts/balance"}},
		{"/charges", []string{"/api/charges?limit=50"}},
		{"/charges?invoice_status=Settled", []string{"/api/charges?limit=50&invoice_status=Settled"}},
		{"/charges?text=cups", []string{"/api/charges?limit=50&text=cups"}},
		{"/charges/" + charge, []string{"/api/charges/" + charge, "/api/charges/" + charge + "/refunds", "/api/webhooks/deliveries?resource_id=" + charge}},
		{"/till", []string{"/api/overview"}},
		{"/till/" + charge, []string{"/api/charges/" + charge}},
		{"/payment-requests", []string{"/api/payment-requests?limit=100"}},
		{"/refunds", []string{"/api/refunds?limit=50"}},
		{"/payouts", []string{"/api/payouts/balance", "/api/payouts"}},
		{"/webhooks", []string{"/api/webhooks"}},
		{"/deliveries", []string{"/api/webhooks/deliveries?limit=100"}},
		{"/deliveries?webhook=" + webhook, []string{"/api/webhooks/" + webhook + "/deliveries?limit=100"}},
		{"/swaps", []string{"/api/swaps", me}},
		{"/reports", []string{me, "/api/reports/summary?" + month}},
		{"/keys", []string{me, "/api/account/application-keys"}},
		{"/settings", []string{me}},
		{"/settings/notices", []string{"/api/account/notices"}},
		{"/settings/account", []string{me}},
		{"/settings/two-factor", []string{"/api/auth/2fa/status"}},
		{"/staff", []string{"/api/account/staff", me}},
		{"/actions", []string{"/api/account/actions"}},
		{"/ask", nil},
	}
}

// desk compares the first byte of each page of the merchants' desk with the reads of the
// API behind it, by turns, in the shop with many charges.
func (b *bench) desk(ctx context.Context) {
	s := b.books.many
	fixture.Requiref(s != nil, "there is no shop to look at: the row lists has failed")
	session := s.enterDesk(ctx)
	pages := b.timePages(ctx, s, session, deskPages(fakeID(s.id(), 1), b.testbed.fillShop(ctx, s)))
	worst, heaviest, worstRatio := pages[0], pages[0], 0.0
	for _, p := range pages {
		if p.size > heaviest.size {
			heaviest = p
		}
		if len(p.reads) == 0 {
			continue
		}
		ratio := quotient(percentile(p.first, 50), percentile(p.read, 50))
		fixture.Reportf("%s: first byte p50 %s, reads %s, ratio %s, %s bytes",
			p.path, short(percentile(p.first, 50)), short(percentile(p.read, 50)), ratioText(ratio), thousands(p.size))
		if ratio > worstRatio {
			worst, worstRatio = p, ratio
		}
	}
	b.table.add(row{
		measure: fmt.Sprintf("the desk's first byte, among %s charges, the worst of %d pages: %s", thousands(b.sizes.among), len(pages), worst.path),
		value:   spread(worst.first), reference: "the reads behind it: " + spread(worst.read),
		ratio: ratioText(worstRatio) + " (p50)", bar: fmt.Sprintf("ratio ≤ %.1f", deskBar), met: worstRatio <= deskBar,
	})
	b.table.add(row{
		measure: "the desk's largest page: " + heaviest.path, value: thousands(heaviest.size) + " bytes",
		bar: fmt.Sprintf("< %s bytes", thousands(pageBar)), met: heaviest.size < pageBar,
	})
}

// timedPage is a page with the times until its first byte, those until the first bytes of
// its reads, and its size in bytes.
type timedPage struct {
	deskPage

	first, read []time.Duration
	size        int
}

// timePages times each page and its reads by turns, once they are in the caches. All pages
// have a turn before one has its next, so that what disturbs for a moment disturbs all.
func (b *bench) timePages(ctx context.Context, s *shop, session *http.Client, pages []deskPage) []timedPage {
	timed := make([]timedPage, len(pages))
	for n := range b.sizes.pageReads + warmReads {
		for i := range timed {
			one := &timed[i]
			one.deskPage = pages[i]
			first, read := one.time(ctx, s, session)
			if n >= warmReads {
				one.first, one.read = append(one.first, first), append(one.read, read)
			}
		}
	}
	return timed
}

// time returns after how long the first byte of a page came, and those of its reads.
func (p *timedPage) time(ctx context.Context, s *shop, session *http.Client) (first, read time.Duration) {
	first, p.size = firstByte(ctx, session, s.BaseURL+p.path, nil)
	for _, path := range p.reads {
		took, _ := firstByte(ctx, s.testbed.http, s.BaseURL+path, http.Header{"Authorization": {"Bearer " + s.Token}, "X-Api-Key": {s.APIKey}})
		read += took
	}
	return first, read
}

// fillShop gives a shop some of everything that its desk lists, and returns a webhook.
func (w *testbed) fillShop(ctx context.Context, s *shop) (webhook string) {
	hook := fixture.Must(s.CreateWebhook(ctx, w.Hooks.URL("/desk"), "charge.expired"))
	w.exec(ctx,
		"UPDATE merchants SET reporting_enabled = true WHERE merchant_id = '"+s.id()+"'",
		fmt.Sprintf(`INSERT INTO payment_requests (id, merchant_id, mode, amount, currency, description, single_use, created_at)
			SELECT 'pr_' || left('%s', 16) || lpad(to_hex(n), 8, '0'), '%[1]s', 'live', 1, 'EUR', n || ' cups of coffee', false, now() - n * interval '1 hour'
			FROM generate_series(1, %d) n`, s.id(), deskLists),
		fmt.Sprintf(`INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs,
				tx_hash, created_at, sent_at, confirmed_at)
			SELECT 'po_' || left('%s', 16) || lpad(to_hex(n), 8, '0'), '%[1]s', '%s', 'confirmed', '', '8…x', 1, 0, 1, 1, 'desk ' || n,
				at, old.at, old.at FROM (SELECT n, now() - n * interval '1 day' AS at FROM generate_series(1, %d) n) old`, s.id(), liveWallet, deskLists),
		fmt.Sprintf(`WITH told AS (
				INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at)
				SELECT '%s', 'live', 'charge.expired', 'ch_' || left('%[1]s', 16) || lpad(to_hex(n), 8, '0'),
					'{"event": "charge.expired", "charge_id": "ch_' || n || '"}', now() - n * interval '1 hour'
				FROM generate_series(1, 2 * %d) n RETURNING id, created_at
			)
			INSERT INTO deliveries (id, webhook_id, merchant_id, mode, event_id, status, created_at, delivered_at)
			SELECT 'whd_' || left('%[1]s', 8) || lpad(to_hex(id), 16, '0'), '%[3]s', '%[1]s', 'live', id, 'delivered', created_at, told.created_at FROM told`,
			s.id(), deskLists, hook.ID))
	return hook.ID
}

func (s *shop) enterDesk(ctx context.Context) *http.Client {
	form := url.Values{"email": {s.Account.Merchant.Email}, "password": {s.Password}}
	page, session := fixture.Must2(clients.LogInAtDesk(ctx, s.BaseURL+"/log-in", form))
	// A page that sends its visitor elsewhere is not measured as that other page.
	session.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	fixture.Requiref(strings.Contains(page, "/log-out"), "the desk does not let the merchant in")
	return session
}

// firstByte reads an address, and returns after how long the first byte of its answer came,
// and how many there were.
func firstByte(ctx context.Context, client *http.Client, address string, header http.Header) (first time.Duration, size int) {
	var begun time.Time
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { first = time.Since(begun) }})
	req := fixture.Must(http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody))
	maps.Copy(req.Header, header)
	begun = time.Now()
	resp := fixture.Must(client.Do(req))
	defer func() { _ = resp.Body.Close() }()
	n := fixture.Must(io.Copy(io.Discard, resp.Body))
	fixture.Requiref(resp.StatusCode == http.StatusOK, "%s: status %d", req.URL.Path, resp.StatusCode)
	return first, int(n)
}
