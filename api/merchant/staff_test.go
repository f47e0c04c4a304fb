package merchant_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

// worksFor logs a person in and lets them work in a shop.
func (b *bench) worksFor(t *testing.T, person, in shop) shopper {
	t.Helper()
	return b.enterShop(t, person, "").goesTo(t, in.id)
}

// goesTo returns the same visitor, working in another shop.
func (v shopper) goesTo(t *testing.T, shop string) shopper {
	t.Helper()
	a := v.postFrom(t, "/shops", "/shops", url.Values{"shop": {shop}})
	a.leads(t, "/")
	v.cookie = deskCookie(t, a).Value
	return v
}

// postFrom sends a form with the code from a page.
func (v shopper) postFrom(t *testing.T, page, path string, form url.Values) answer {
	t.Helper()
	code := formCode.FindStringSubmatch(v.page(t, page))
	require.NotNil(t, code)
	sent := url.Values{"form": {code[1]}}
	maps.Copy(sent, form)
	return v.send(t, http.MethodPost, path, sent)
}

// forAnyone returns the routes for every person who has logged in, in any shop.
func forAnyone() []string {
	return []string{
		"POST /log-out", "POST /mode", "GET /shops", "POST /shops", "POST /shops/{id}/leave", "GET /join/{token}", "POST /join/{token}",
		"GET /settings/account", "POST /settings/email", "POST /settings/password", "POST /settings/resend-verification", "POST /settings/delete",
		"GET /settings/two-factor", "POST /settings/two-factor/setup", "POST /settings/two-factor/verify", "POST /settings/two-factor/disable",
	}
}

// forRole returns the additional routes of each role, as the merchants' documentation describes
// them.
func forRole() map[permission.Role][]string {
	selling := []string{"GET /ask", "POST /ask", "GET /till", "POST /till", "GET /till/{id}"}
	looking := []string{"GET /", "GET /charges", "GET /charges.csv", "GET /charges/{id}", "GET /charges/{id}/qr.png"}
	reading := []string{
		"GET /payment-requests", "GET /payment-requests/{id}", "GET /payment-requests/{id}/qr.png", "GET /refunds", "GET /payouts", "GET /swaps",
		"GET /swaps/{id}", "GET /reports", "GET /reports/transactions.csv",
	}
	return map[permission.Role][]string{
		permission.Cashier:    slices.Concat(looking, selling),
		permission.Support:    slices.Concat(looking, []string{"GET /refunds", "POST /charges/{id}/refunds"}),
		permission.Accountant: slices.Concat(looking, reading),
		permission.Owner: slices.Concat(looking, selling, reading, []string{
			"POST /charges/{id}/accept-underpaid", "POST /charges/{id}/toggle-active", "POST /charges/{id}/refunds", "POST /payment-requests",
			"POST /payment-requests/{id}/toggle", "POST /payment-requests/{id}/delete", "GET /refunds/{id}", "POST /refunds/{id}/approve", "POST /refunds/{id}/payment", "POST /refunds/{id}/cancel",
			"POST /payouts/sweep", "POST /swaps", "POST /reports", "GET /webhooks", "POST /webhooks", "POST /webhooks/{id}/delete", "POST /webhooks/{id}/test",
			"GET /deliveries", "GET /deliveries/{id}", "POST /deliveries/{id}/redeliver",
			"POST /charges/{id}/test/{what}", "POST /charges/{id}/retry-deliveries", "GET /settings", "POST /settings/profile", "GET /actions",
		}),
	}
}

// TestRolesOpenWhatTheyAreFor requests every page and sends every form of the desk as each role.
// A page must only link to routes that its visitor may use.
func TestRolesOpenWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	routes, open := desk.Routes()
	for role, allowed := range forRole() {
		s, person := b.own(t), b.signup(t)
		b.employ(t, s.shop, person, role)
		v := b.worksFor(t, person, s.shop)
		before := b.digest(t)
		for _, route := range routes {
			if open[route] || slices.Contains(forAnyone(), route) {
				continue
			}
			method, path := s.shopPath(route)
			a := v.send(t, http.MethodGet, path, nil)
			if method == http.MethodPost {
				a = v.postFrom(t, "/shops", path, url.Values{"amount": {"1"}, "variant": {"RateThen"}, "claim_id": {"rc_none"}, "currency": {"-"}})
			}
			a.without(t, "went wrong", route)
			if !slices.Contains(allowed, route) {
				require.Equal(t, http.StatusForbidden, a.status, "%s: %s", role, route)
				require.Contains(t, a.body, "Your role in this shop does not allow this.", "%s: %s", role, route)
				require.Equal(t, before, b.digest(t), "%s: %s", role, route)
				continue
			}
			require.NotContains(t, a.body, "Your role in this shop does not allow this.", "%s: %s", role, route)
			if method == http.MethodGet {
				require.Equal(t, http.StatusOK, a.status, "%s: %s: %s", role, route, a.body)
				require.Empty(t, leadsElsewhere(a.body, routes, allowed), "%s: %s", role, route)
			}
			before = b.digest(t)
		}
	}
}

// leadsElsewhere returns the paths to which a page links although they are not allowed.
func leadsElsewhere(page string, routes, allowed []string) (wrong []string) {
	for method, pattern := range map[string]string{"GET": `href="(/[^"]*)"`, "POST": `action="(/[^"]*)"`} {
		for _, found := range regexpFind(pattern, page) {
			path, _, _ := strings.Cut(found, "?")
			for _, route := range routes {
				if strings.HasPrefix(route, method+" ") && samePath(strings.TrimPrefix(route, method+" "), path) &&
					!slices.Contains(allowed, route) && !slices.Contains(forAnyone(), route) && !slices.Contains(allowed, "GET "+path) {
					wrong = append(wrong, method+" "+path)
				}
			}
		}
	}
	return wrong
}

func samePath(pattern, path string) bool {
	return slices.EqualFunc(strings.Split(pattern, "/"), strings.Split(path, "/"), func(of, is string) bool {
		return of == is || strings.HasPrefix(of, "{")
	})
}

// regexpFind returns the first group of every match.
func regexpFind(pattern, in string) (found []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
		found = append(found, match[1])
	}
	return found
}

// TestACashierSeesToday checks that a cashier sees neither earlier charges nor earlier sums.
// After midnight they still see charges from the last twelve hours.
func TestACashierSeesToday(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.signup(t), b.signup(t)
	b.employ(t, s, person, permission.Cashier)
	today, since := permission.DayOf(b.clock.Now()), permission.SeenSince(b.clock.Now())
	made := func(at time.Time, order string) string {
		return b.charge(t, s, config.Live, func(r *db.InsertChargeParams) { r.CreatedAt, r.OrderID = at, &order })
	}
	before, now := made(since.Add(-time.Millisecond), "before"), made(since, "now")
	b.enter(t, s, config.Live, today.Add(-time.Hour))
	v := b.worksFor(t, person, s)
	for _, path := range []string{
		"/charges", "/charges?text=before", "/charges?text=" + before, "/charges?from=2020-01-01", "/charges?invoice_status=New", "/till", "/", "/ask",
		"/charges?to=" + since.Format(time.DateOnly),
	} {
		v.send(t, http.MethodGet, path, nil).require(t, http.StatusOK, path).without(t, "/charges/"+before, path)
	}
	require.Contains(t, v.page(t, "/charges"), now)
	v.page(t, "/charges/"+now)
	v.page(t, "/till/"+now)
	file := v.send(t, http.MethodGet, "/charges.csv?from=2020-01-01", nil).require(t, http.StatusOK)
	require.Contains(t, file.body, now)
	file.without(t, before, "the file of the list")
	for _, path := range []string{"/charges/" + before, "/charges/" + before + "/qr.png", "/till/" + before} {
		require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, path, nil).status, path)
	}
	home := v.page(t, "/")
	require.NotContains(t, home, today.AddDate(0, 0, -1).Format(time.DateOnly))
	require.NotContains(t, home, "To do")
	b.enterShop(t, s, "").page(t, "/charges/"+before)
}

// TestJoiningAShop goes from the invite to the work in the shop, and tries invalid invites.
func TestJoiningAShop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	owner := b.enterShop(t, s, "")
	made := owner.post(t, "/staff/invites", url.Values{"role": {"cashier"}, "note": {"Saturdays"}, "refunds_a_day": {"1"}}).require(t, http.StatusOK)
	link := regexpFind(publicURL+`(/join/[0-9a-f]{64})`, made.body)
	require.Len(t, link, 1)
	require.NotContains(t, owner.page(t, "/staff"), strings.TrimPrefix(link[0], "/join/"))
	require.Contains(t, owner.page(t, "/staff"), "Saturdays")

	anonymous := shopper{b: b}
	anonymous.send(t, http.MethodGet, link[0], nil).leads(t, "/log-in?next="+url.QueryEscape(link[0]))
	require.Contains(t, anonymous.page(t, "/log-in?next="+url.QueryEscape(link[0])), `href="/sign-up?next=`)
	person := b.signup(t)
	v := b.enterShop(t, person, "")
	require.Contains(t, v.page(t, link[0]), "Cashier")
	require.Contains(t, owner.send(t, http.MethodPost, link[0], url.Values{"form": {formCode.FindStringSubmatch(owner.page(t, "/staff"))[1]}}).problem(t), "your own shop")
	a := v.postFrom(t, link[0], link[0], nil)
	a.leads(t, "/")
	v.cookie = deskCookie(t, a).Value
	require.Contains(t, v.page(t, "/till"), "Example Shop")
	require.Contains(t, owner.page(t, "/staff"), person.email)
	require.Equal(t, http.StatusNotFound, b.enterShop(t, b.signup(t), "").send(t, http.MethodGet, link[0], nil).status, "it is used up")

	for name, spoil := range map[string]func(token string){
		"taken back": func(string) {
			list := b.send(t, http.MethodGet, "/api/account/staff", session(s.token), "").field(t, "invites").([]any)
			id := list[len(list)-1].(map[string]any)["id"].(string)
			b.send(t, http.MethodPost, "/api/account/staff/invites/"+id+"/revoke", session(person.token), "").require(t, http.StatusNotFound)
			b.send(t, http.MethodPost, "/api/account/staff/invites/"+id+"/revoke", session(s.token), "").require(t, http.StatusOK)
		},
		"too old": func(string) { b.exec(t, "UPDATE staff_invites SET expires_at = $1", b.clock.Now()) },
	} {
		token := b.invited(t, s, `{"role":"owner"}`)
		spoil(token)
		body := fmt.Sprintf(`{"token":%q}`, token)
		other := session(b.signup(t).token)
		b.send(t, http.MethodPost, "/api/account/shops", other, body).require(t, http.StatusNotFound, name)
		b.send(t, http.MethodPost, "/api/account/shops/invitation", other, body).require(t, http.StatusNotFound, name)
	}
	token := b.invited(t, s, `{"role":"owner"}`)
	b.send(t, http.MethodPost, "/api/account/shops", session(person.token), fmt.Sprintf(`{"token":%q}`, token)).require(t, http.StatusOK)
	require.Equal(t, "cashier", b.roleIn(t, person, s), "who is there keeps the role")
	for _, bad := range []string{`{}`, `{"role":""}`, `{"role":"merchant"}`, `{"role":"cashier","refunds_a_day_xmr":1}`, `{"role":"support","refunds_a_day_xmr":-1}`, `{"role":1}`, `{"role":"owner","note":"` + strings.Repeat("x", 101) + `"}`} {
		b.send(t, http.MethodPost, "/api/account/staff/invites", session(s.token), bad).require(t, http.StatusBadRequest, bad)
	}
}

func (b *bench) roleIn(t *testing.T, person, in shop) string {
	t.Helper()
	row, err := b.store.GetStaff(t.Context(), db.GetStaffParams{MerchantID: in.id, PersonID: person.id})
	require.NoError(t, err)
	return row.Role
}

// TestOneInviteIsForOnePerson checks that only one of many people who use an invite at once
// joins.
func TestOneInviteIsForOnePerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	body := fmt.Sprintf(`{"token":%q}`, b.invited(t, s, `{"role":"support"}`))
	people := make([]shop, 6)
	for i := range people {
		people[i] = b.signup(t)
	}
	statuses := make([]int, len(people))
	var all sync.WaitGroup
	for i, p := range people {
		all.Go(func() { statuses[i] = b.send(t, http.MethodPost, "/api/account/shops", session(p.token), body).status })
	}
	all.Wait()
	slices.Sort(statuses)
	require.Equal(t, []int{200, 404, 404, 404, 404, 404}, statuses)
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM staff"))
}

// TestWorkEndsAtOnce checks that access ends at once when the role, the account or the shop
// ends. A form of another shop is refused.
func TestWorkEndsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person := b.own(t), b.signup(t)
	b.employ(t, s.shop, person, permission.Owner)
	v := b.worksFor(t, person, s.shop)
	toggle := "/charges/" + s.charge + "/toggle-active"
	code := formCode.FindStringSubmatch(v.page(t, "/charges/"+s.charge))[1]
	home := b.enterShop(t, person, "")
	foreign := formCode.FindStringSubmatch(home.page(t, "/settings"))[1]
	require.Equal(t, http.StatusForbidden, v.send(t, http.MethodPost, toggle, url.Values{"form": {foreign}}).status, "another shop's form")

	b.send(t, http.MethodPut, "/api/account/staff/"+person.id, session(s.token), `{"role":"cashier"}`).require(t, http.StatusOK)
	require.Equal(t, http.StatusForbidden, v.send(t, http.MethodPost, toggle, url.Values{"form": {code}}).status)
	b.send(t, http.MethodPut, "/api/account/staff/"+person.id, session(s.token), `{"role":"owner"}`).require(t, http.StatusOK)
	v.send(t, http.MethodPost, toggle, url.Values{"form": {code}}).leads(t, "/charges/"+s.charge+"?done=1")

	b.send(t, http.MethodPost, "/api/account/staff/"+person.id+"/remove", session(b.signup(t).token), "").require(t, http.StatusNotFound, "another's")
	b.send(t, http.MethodPost, "/api/account/staff/"+person.id+"/remove", session(s.token), "").require(t, http.StatusOK)
	for range 2 { // the cookie has not changed
		v.send(t, http.MethodPost, toggle, url.Values{"form": {code}}).leads(t, "/shops")
		v.send(t, http.MethodGet, "/charges", nil).leads(t, "/shops")
	}
	require.NotContains(t, v.page(t, "/shops"), s.id)
	a := home.postFrom(t, "/shops", "/shops", url.Values{"shop": {s.id}})
	require.Equal(t, http.StatusForbidden, a.status)

	b.employ(t, s.shop, person, permission.Owner)
	v = b.worksFor(t, person, s.shop)
	b.suspend(t, s.shop)
	require.Equal(t, http.StatusForbidden, v.send(t, http.MethodGet, "/charges", nil).status)
	b.exec(t, "UPDATE merchants SET suspended_at = NULL")
	v.page(t, "/charges")
	b.suspend(t, person)
	require.NotEqual(t, http.StatusOK, v.send(t, http.MethodGet, "/charges", nil).status)
}

// TestStaffOfAnAccountThatIsDeleted checks that the account is removed from the staff of other
// shops, and that its own staff and invites are removed.
func TestStaffOfAnAccountThatIsDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second := b.signup(t), b.signup(t)
	b.employ(t, first, second, permission.Owner)
	b.employ(t, second, first, permission.Owner)
	b.invited(t, first, `{"role":"owner"}`)
	b.send(t, http.MethodPost, "/api/account/delete", session(first.token), fmt.Sprintf(`{"password":%q}`, password)).require(t, http.StatusOK)
	require.Equal(t, []string{"0 0"}, rowsOf[string](t, b, "SELECT (SELECT count(*) FROM staff) || ' ' || (SELECT count(*) FROM staff_invites)"))
}

// TestWhoDidWhat checks that the list shows what people do in the shop, including refused
// actions, and nothing from other shops.
func TestWhoDidWhat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, person, other := b.own(t), b.signup(t), b.own(t)
	b.employ(t, s.shop, person, permission.Owner)
	v := b.worksFor(t, person, s.shop)
	v.post(t, "/charges/"+s.charge+"/toggle-active", nil).leads(t, "/charges/"+s.charge+"?done=1")
	require.Equal(t, http.StatusNotFound, v.post(t, "/charges/"+other.charge+"/toggle-active", nil).status)
	actions := func(who shop, query string) answer {
		return b.send(t, http.MethodGet, "/api/account/actions"+query, session(who.token), "").require(t, http.StatusOK)
	}
	first := actions(s.shop, "?limit=2")
	list := first.field(t, "actions").([]any)
	refused, done := list[0].(map[string]any), list[1].(map[string]any)
	require.Equal(t, []any{person.email, "owner", "toggleChargeLink", "/api/charges/" + other.charge + "/toggle-active", "404"},
		[]any{refused["email"], refused["role"], refused["operation"], refused["path"], fmt.Sprint(refused["status"])})
	require.Equal(t, []any{person.email, "/api/charges/" + s.charge + "/toggle-active", "200"}, []any{done["email"], done["path"], fmt.Sprint(done["status"])})
	require.NotContains(t, actions(other.shop, "").body, person.id)
	next := actions(s.shop, "?limit=2&cursor="+first.text(t, "next_cursor"))
	require.NotContains(t, next.body, "toggleChargeLink")
	for _, bad := range []string{"?cursor=x", "?cursor=0", "?cursor=-1", "?cursor=", "?limit=0"} {
		b.send(t, http.MethodGet, "/api/account/actions"+bad, session(s.token), "").require(t, http.StatusBadRequest, bad)
	}
	page := v.page(t, "/actions")
	require.Contains(t, page, person.email)
	require.Contains(t, page, "Refused (404)")
	b.send(t, http.MethodPost, "/api/account/delete", session(person.token), fmt.Sprintf(`{"password":%q}`, password)).require(t, http.StatusOK)
	require.Contains(t, actions(s.shop, "").body, person.id, "what was done stays")
	require.NotContains(t, actions(s.shop, "").body, person.email)
}

// TestTheTableOfRolesNamesOperations checks that every name in the table is an operation.
// Otherwise a removed or renamed operation would be refused without notice.
func TestTheTableOfRolesNamesOperations(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, o := range operations(document()) {
		known[o.OperationID] = true
	}
	for _, name := range permission.Allowed() {
		require.True(t, known[name], name)
	}
	for _, name := range []string{"setPayoutAddress", "regenerateKey", "createApplicationKey", "setAutoSwap", "inviteStaff", "setRole", "deleteAccount", "adminSetTerms", "approveRefundByKey"} {
		require.True(t, known[name], name)
		for _, r := range permission.Roles() {
			require.False(t, permission.May(r, false, name), name)
		}
	}
}
