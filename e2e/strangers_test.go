package e2e

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/openapi"
)

// fewRequests is how many the strangers make in a run of all tests. STRANGERS_REQUESTS replaces it.
const fewRequests = 4000

// rowsOfOne bounds the rows that one accepted request leaves: those of an account are the most.
const rowsOfOne = 12

// mostMemory in MiB is half of what docker-compose.yml grants a service. Hashing passwords takes the most.
const mostMemory = 512

// TestStrangers lets people without a right ask everything of every service, with limits on. There is
// no server error, no stranger sees or changes what belongs to a shop, a refused request changes
// nothing, and rows and memory stay bounded.
func TestStrangers(t *testing.T) {
	t.Parallel()
	f := fullStacks.take(t)
	f.spent = true // unsent mails stay
	w := f.merchants
	pool, err := pgxpool.New(t.Context(), w.Stack.Env()["DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	s := openShop(t, w)
	known, secrets := s.possess(t)
	w.with(t, map[string]string{"RATE_LIMITS": "on"})

	town := &town{testbed: w, pool: pool, people: 1000}
	victim := s.Account.Merchant.MerchantID
	before, err := town.state(within(t), victim)
	require.NoError(t, err)
	rows, memory := town.rows(t), w.memory(t)
	env := w.Stack.Env()
	requests := fewRequests
	if given := os.Getenv("STRANGERS_REQUESTS"); given != "" {
		requests, err = strconv.Atoi(given)
		require.NoError(t, err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("TEST_SEED"), "1"), 10, 64)
	require.NoError(t, err)
	pages := []string{env["OPERATOR_DESK_URL"], "http://" + w.Stack.Addr("worker-internal") + "/", "http://" + w.Stack.Addr("swap-api-internal") + "/metrics"}
	for _, path := range []string{"/", "/desk", "/desk/shops", "/docs", "/merchant", "/llms.txt", "/pay/" + known[0], "/api/charges/" + known[0] + "/public"} {
		pages = append(pages, env["MERCHANT_URL"]+path)
	}
	report, err := clients.Strangers{
		Seed: seed, Requests: requests, Services: []string{env["MERCHANT_URL"], env["SWAP_URL"]},
		Documents: map[string][]byte{env["MERCHANT_URL"]: openapi.Greenfield},
		Pages:     append(pages, env["SWAP_URL"]+"/"), Meet: town.meet, IDs: known, Secrets: secrets, State: town.state,
	}.Ask(context.Background())
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(report.Status)) {
		t.Logf("%-22s %v", name, report.Status[name])
	}
	t.Logf("%d requests accepted with the seed %d", report.Accepted, seed)
	require.Less(t, report.Status["another merchant"][401], report.Status["no credential"][401], "credentials of one's own count")
	require.Empty(t, report.Faults, strings.Join(report.Faults, "\n\n"))

	after, err := town.state(within(t), victim)
	require.NoError(t, err)
	require.Equal(t, before, after, "what belongs to the shop is as it was")
	var claims int
	require.NoError(t, pool.QueryRow(within(t), "SELECT count(*) FROM refund_claims AS c JOIN refunds AS r ON r.id = c.refund_id WHERE r.merchant_id = $1", victim).Scan(&claims))
	require.Zero(t, claims, "no stranger has the secret of the refund's link")
	grown := 0
	for table, n := range town.rows(t) {
		if more := n - rows[table]; more > 0 {
			t.Logf("%-22s %d rows more", table, more)
			grown += more
		}
	}
	require.LessOrEqual(t, grown, rowsOfOne*report.Accepted+requests/10, "rows of %d requests, %d of them accepted", requests, report.Accepted)
	for part, mib := range w.memory(t) {
		t.Logf("%s has %d MiB, before %d", part, mib, memory[part])
		require.LessOrEqual(t, mib, mostMemory, part)
	}
}

// possess gives a shop one of each thing, and returns their IDs and what no stranger may see.
func (s *shop) possess(t *testing.T) (known, secrets []string) {
	t.Helper()
	secret := "sealed-" + rand.Text()
	c := s.create(t, func() clients.NewCharge {
		return clients.NewCharge{Amount: money.MustDecimal("0.2"), Currency: "XMR", Metadata: json.RawMessage(fmt.Sprintf(`{"private":%q}`, secret))}
	})
	s.pay(t, c)
	s.mineUntil(t, "charge.confirmed", c.ID)
	r, err := s.CreateRefund(within(t), c.ID, "0.1")
	require.NoError(t, err)
	deliveries, err := s.Deliveries(within(t))
	require.NoError(t, err)
	open := s.charge(t, "0.3")
	a := s.Account
	return []string{c.ID, open.ID, r.ID, s.Webhook.ID, deliveries[0].ID, a.Merchant.MerchantID}, []string{
		secret, a.Merchant.Email, a.Token, a.APIKeys.Production, a.APIKeys.Sandbox, s.Webhook.Secret, s.Wallet.Address, r.Link[strings.LastIndex(r.Link, "/"):],
	}
}

// town makes strangers.
type town struct {
	*testbed

	pool   *pgxpool.Pool
	people int
}

// person is a stranger with an account.
type person struct {
	*clients.Merchant

	email, password, id, sandbox string
}

// signUp makes an account from an address of its own.
func (o *town) signUp(ctx context.Context) (*person, error) {
	o.people++
	p := &person{
		Merchant: &clients.Merchant{BaseURL: o.URLs["MERCHANT_URL"], HTTP: clients.ClientAt(o.people, nil)},
		email:    strings.ToLower(rand.Text()) + "@stranger.example", password: rand.Text(),
	}
	a, err := p.SignUp(ctx, p.email, p.password, "A stranger", "")
	p.id, p.sandbox = a.Merchant.MerchantID, a.APIKeys.Sandbox
	return p, err
}

// visit returns the person as a visitor of the desk.
func (p *person) visit(ctx context.Context, name string) (clients.Stranger, error) {
	_, session, err := clients.LogInAtDesk(ctx, p.BaseURL+"/log-in", url.Values{"email": {p.email}, "password": {p.password}})
	if err != nil {
		return clients.Stranger{}, err
	}
	return clients.Stranger{Name: name, Jar: session.Jar, Account: p.id}, nil
}

// meet makes one stranger of each kind.
func (o *town) meet(ctx context.Context) ([]clients.Stranger, error) {
	var people [6]*person
	for i := range people {
		var err error
		if people[i], err = o.signUp(ctx); err != nil {
			return nil, err
		}
	}
	owner, keyed, plugged, suspended, visiting, cashier := people[0], people[1], people[2], people[3], people[4], people[5]
	application, err := plugged.CreateApplicationKey(ctx, "btcpay.store.canviewinvoices")
	if err != nil {
		return nil, err
	}
	if _, err := o.Stack.Durapay(ctx, "admin", "merchants", "suspend", suspended.id); err != nil {
		return nil, err
	}
	link, err := plugged.InviteStaff(ctx, "cashier")
	if err != nil {
		return nil, err
	}
	if err := cashier.JoinShop(ctx, link); err != nil {
		return nil, err
	}
	partner, err := o.Partner(ctx)
	if err != nil {
		return nil, err
	}
	bearer := func(token string) map[string]string { return map[string]string{"Authorization": "Bearer " + token} }
	token := func(key string) map[string]string { return map[string]string{"Authorization": "token " + key} }
	key := func(key string) map[string]string { return map[string]string{"X-Api-Key": key} }
	madeUp := make([]byte, 24)
	_, _ = rand.Read(madeUp) // never fails
	all := []clients.Stranger{
		{Name: "no credential"},
		{Name: "made-up key", Headers: key("cm_live_" + hex.EncodeToString(madeUp))},
		{Name: "forged session", Headers: bearer(owner.Token[:len(owner.Token)-4] + "AAAA")},
		{Name: "another merchant", Headers: map[string]string{"X-Api-Key": owner.APIKey, "Authorization": "Bearer " + owner.Token}, Account: owner.id},
		{Name: "another's key", Headers: key(keyed.APIKey), Account: keyed.id},
		{Name: "another's sandbox key", Headers: key(plugged.sandbox)},
		{Name: "another's plugin", Headers: token(plugged.APIKey)},
		{Name: "application", Headers: token(application)},
		{Name: "suspended", Headers: map[string]string{"X-Api-Key": suspended.APIKey, "Authorization": "Bearer " + suspended.Token}},
		{Name: "partner", Headers: map[string]string{"Api-Key": partner.Key.Key}},
	}
	visitor, err := visiting.visit(ctx, "at the desk")
	if err != nil {
		return nil, err
	}
	till, err := cashier.visit(ctx, "cashier at the desk")
	return append(all, visitor, till), err
}

// owned are the tables of which an account's rows change by requests alone, each with what else may
// change. stateOf counts and digests the rest.
var owned = map[string]string{
	"merchants": "{}", "api_keys": "{last_used_at}", "scoped_keys": "{last_used_at}", "staff": "{}", "staff_invites": "{}", "backup_codes": "{}",
	"payment_requests": "{completed_payments,consumed_at}", "webhooks": "{}", "notice_choices": "{}", "refunds": "{status}", "payouts": "{}",
	"charges": "{status,invoice_status,seen_at,expires_at,confirmed_at,late,extended,unbacked,payout_id,counts_until}",
}

const stateOf = `SELECT count(*) || ' ' || coalesce(md5(string_agg(row, '' ORDER BY row)), '')
	FROM (SELECT (to_jsonb(t) - $2::text[])::text AS row FROM %s AS t WHERE merchant_id = $1) AS rows`

// state tells the rows that belong to an account.
func (o *town) state(ctx context.Context, account string) (string, error) {
	var all strings.Builder
	for _, table := range slices.Sorted(maps.Keys(owned)) {
		var digest string
		if err := o.pool.QueryRow(ctx, fmt.Sprintf(stateOf, table), account, owned[table]).Scan(&digest); err != nil {
			return "", fmt.Errorf("%s of %s: %w", table, account, err)
		}
		fmt.Fprintf(&all, "%s %s\n", table, digest)
	}
	return all.String(), nil
}

// rows counts the rows of each table.
func (o *town) rows(t *testing.T) map[string]int {
	t.Helper()
	counted := map[string]int{}
	tables, err := o.pool.Query(within(t), `SELECT relname::text, (xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || quote_ident(relname), false, true, '')))[1]::text::int
		FROM pg_stat_user_tables`)
	require.NoError(t, err)
	defer tables.Close()
	for tables.Next() {
		var name string
		var n int
		require.NoError(t, tables.Scan(&name, &n))
		counted[name] = n
	}
	require.NoError(t, tables.Err())
	return counted
}

// memory returns the resident memory of each service in MiB.
func (w *testbed) memory(t *testing.T) map[string]int {
	t.Helper()
	held := map[string]int{}
	for _, part := range []string{"MERCHANT_API", "SWAP_API", "WORKER"} {
		raw, err := os.ReadFile("/proc/" + w.Stack.Env()["PID_"+part] + "/statm")
		require.NoError(t, err)
		pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
		require.NoError(t, err)
		held[part] = pages * os.Getpagesize() >> 20
	}
	return held
}
