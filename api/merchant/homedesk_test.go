package merchant_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// idsOn returns the identifiers of a kind to which the table of a page links.
func idsOn(t *testing.T, page, kind string) (ids []string) {
	t.Helper()
	for _, found := range regexp.MustCompile(`href="/`+kind+`/([a-z]+_[0-9a-f]+)`).FindAllStringSubmatch(page, -1) {
		ids = append(ids, found[1])
	}
	return ids
}

// TestHomeLeadsToWhatItCounts creates one item of each kind that the home page counts, next to
// similar items. Each link must lead to a list with that item alone.
func TestHomeLeadsToWhatItCounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	charge := func(set string) string {
		id := b.charge(t, s.shop, config.Live, func(*db.InsertChargeParams) {})
		b.exec(t, "UPDATE charges SET "+set+" WHERE id = $1", id)
		return id
	}
	paid := func(id string) string {
		b.exec(t, `INSERT INTO received_payments (wallet_id, tx_hash, address, subaddress_index, amount, outputs, first_seen_at, charge_id, merchant_id)
			SELECT wallet_id, encode(sha256(id::bytea), 'hex'), subaddress, subaddress_index, 1000, 1, now(), id, merchant_id FROM charges WHERE id = $1`, id)
		return id
	}
	b.exec(t, "UPDATE charges SET status = 'expired', invoice_status = 'Expired' WHERE merchant_id = $1", s.id)
	underpaid := paid(charge("status = 'expired', invoice_status = 'Expired'"))
	charge("status = 'expired', invoice_status = 'Expired'")
	late := paid(charge("status = 'confirmed', invoice_status = 'Settled', confirmed_at = now(), late = true"))
	charge("status = 'confirmed', invoice_status = 'Settled', confirmed_at = now()")
	pending := charge("invoice_status = 'Processing'")
	b.exec(t, "UPDATE deliveries SET created_at = $1", b.clock.Now())
	b.exec(t, "INSERT INTO audit (at, actor, action, subject, detail) VALUES (now(), 'cli:root', 'merchant.suspend', $1, '{}')", s.id)
	v.post(t, "/settings/refunds", map[string][]string{"auto_up_to": {"0"}}).leads(t, "/settings?done=1")
	b.fills(t, s, 1)
	b.exec(t, "UPDATE deliveries SET created_at = created_at - interval '8 days' WHERE id <> $1", s.delivery)
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		VALUES ('rc_0123456789abcdef01234567', $1, 'awaiting_approval', 1000, '\x01', '8waits', now(), now())`, s.refund)

	home := v.page(t, "/")
	for link, want := range map[string][]string{
		"/charges?attention=underpaid":  {underpaid},
		"/charges?attention=late":       {late},
		"/charges?attention=pending":    {pending},
		"/deliveries?attention=failed":  {s.delivery},
		"/refunds?attention=to_approve": nil,
	} {
		require.Contains(t, home, `href="`+link+`"`)
		page := v.page(t, link)
		if kind, _, _ := strings.Cut(link[1:], "?"); want != nil {
			require.Equal(t, want, idsOn(t, page, kind), link)
			continue
		}
		require.Contains(t, page, "8waits")
		require.Contains(t, page, "/refunds/"+s.refund+"/approve")
		require.Equal(t, 3, strings.Count(page, "<tr role"), "a heading, the refund and its claim")
	}
	for _, words := range []string{"Available", "Fee rate", "Today", "This month"} {
		require.Contains(t, home, words)
	}
	for _, path := range []string{"/charges?attention=x", "/deliveries?attention=x", "/refunds?attention=x", "/charges?attention=late&text=x"} {
		require.Equal(t, http.StatusBadRequest, v.send(t, http.MethodGet, path, nil).status, path)
	}
}

// testTheDeskLeadsToAButtonThatWorks goes from the desk to the page of buttons. It copies the
// button into a page of another site and presses it there.
func testTheDeskLeadsToAButtonThatWorks(t *testing.T, b *bench) {
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	page := v.page(t, "/button?merchant_id="+s.id)
	require.Contains(t, v.page(t, "/ask"), `href="/button?merchant_id=`+s.id+`"`)
	require.Contains(t, page, `value="`+s.id+`"`)
	require.NotContains(t, page, "aria-invalid")
	page = v.page(t, "/button?"+url.Values{"merchant_id": {s.id}, "amount": {"8.50"}, "currency": {"EUR"}, "description": {"Tea & cake"}}.Encode())
	snippet := html.UnescapeString(strings.Join(regexpFind(`(?s)<textarea[^>]*>(.*?)</textarea>`, page), ""))
	action := regexpFind(`action="([^"]+)"`, snippet)
	require.Len(t, action, 1)
	sent := url.Values{}
	for _, input := range regexp.MustCompile(`name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(snippet, -1) {
		sent.Set(input[1], html.UnescapeString(input[2]))
	}
	require.Equal(t, s.id, sent.Get("merchant_id"))
	u, err := url.Parse(action[0])
	require.NoError(t, err)
	require.NotEmpty(t, u.Host, "another site needs the whole address")
	id := b.post(t, u.Path, sent).pageOf(t)
	require.Contains(t, v.page(t, "/charges/"+id), "8.50 EUR")
}

// TestEveryRecordedActionHasAName covers every recorded operation. Operations are recorded if
// they change something with a key, or with a session that is not an operator's.
func TestEveryRecordedActionHasAName(t *testing.T) {
	t.Parallel()
	var recorded []string
	for _, o := range operations(document()) {
		if o.Method != http.MethodGet && o.kind != "" && !strings.HasPrefix(o.Path, "/api/admin/") {
			recorded = append(recorded, o.OperationID)
		}
	}
	require.Greater(t, len(recorded), 40)
	for _, c := range desk.Catalogues() {
		for _, operation := range recorded {
			require.NotEmpty(t, c.Texts["did."+operation], "%s in %s", operation, c.Name)
		}
	}
}

// TestARefusedFormOfOperatorsComesBack checks that the page shows the typed values and the
// reason of the refusal.
func TestARefusedFormOfOperatorsComesBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterDesk(t, b.operatorOf(t))
	here := opdesk.Root + "/merchants/" + s.id
	long := strings.Repeat("typed ", 100)
	for path, form := range map[string]url.Values{
		here + "/terms":       {"fee_rate": {"much"}, "confirmations_required": {"7"}, "tolerance_percent": {""}, "pending_charges_max": {"70"}},
		here + "/hold":        {"until": {"2001-02-03"}},
		opdesk.Root + "/fees": {"volume_xmr": {"11.5", "12.5", "13.5", "14.5", "15.5"}, "fee_rate": {"0.01", "much", "0.02", "0.03", "0.04"}},
		opdesk.Root + "/alerts/" + s.alert + "/resolve":        {"note": {long}},
		opdesk.Root + "/unmatched/" + s.unmatched + "/resolve": {"note": {long}},
	} {
		a := v.post(t, path, form)
		require.Equal(t, http.StatusBadRequest, a.status, path)
		require.Contains(t, a.body, `action="`+path+`"`, "the form is there again")
		require.NotEmpty(t, regexpFind(`role="alert"[^>]*>([^<]+)<`, a.body), path)
		for _, values := range form {
			for _, value := range values {
				require.Contains(t, a.body, `value="`+value+`"`, path)
			}
		}
	}
	gone := v.post(t, opdesk.Root+"/merchants/nobody/suspend", nil)
	require.Equal(t, http.StatusNotFound, gone.status)
}
