package merchant_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
)

// deskForm is a form of the desk as a person fills it in.
type deskForm struct {
	filled url.Values
	// sandbox is set for a form that is only in the sandbox.
	sandbox bool
}

// deskForms returns the form of every route that takes one.
func (s belongings) deskForms() map[string]deskForm {
	return map[string]deskForm{
		"POST /log-out":              {},
		"POST /mode":                 {filled: url.Values{"mode": {"sandbox"}}},
		"POST /shops":                {filled: url.Values{"shop": {s.worksAt}}},
		"POST /shops/{id}/leave":     {},
		"POST /join/{token}":         {},
		"POST /settings/email":       {filled: url.Values{"email": {"another@example.com"}, "password": {password}}},
		"POST /settings/password":    {filled: url.Values{"password": {password}, "new_password": {password + "!"}}},
		"POST /settings/delete":      {filled: url.Values{"password": {password}}},
		"POST /settings/profile":     {filled: url.Values{"business_name": {"Tea"}, "contact": {"tea@example.com"}}},
		"POST /settings/payout":      {filled: url.Values{"address": {payoutAddress}}},
		"POST /settings/wallet":      {filled: url.Values{"primary_address": {keysNamed("once").address.String()}, "private_view_key": {keysNamed("once").view}}},
		"POST /settings/refunds":     {filled: url.Values{"auto_up_to": {"0.5"}}},
		"POST /settings/notices":     {filled: url.Values{"late": {"daily"}}},
		"POST /reports":              {filled: url.Values{"currency": {"EUR"}}},
		"POST /swaps/auto":           {filled: url.Values{"enabled": {"on"}, "currency": {"btc"}, "auto_address": {"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}}},
		"POST /ask":                  {filled: url.Values{"amount": {"5"}, "currency": {"EUR"}}},
		"POST /till":                 {filled: url.Values{"amount": {"5"}, "currency": {"EUR"}}},
		"POST /payment-requests":     {filled: url.Values{"amount": {"5"}, "currency": {"EUR"}}},
		"POST /webhooks":             {filled: url.Values{"url": {"https://shop.example/hook"}, "events": {"charge.confirmed"}}},
		"POST /webhooks/{id}/test":   {},
		"POST /webhooks/{id}/delete": {},
		"POST /keys":                 {filled: url.Values{"label": {"Shop"}, "mode": {"live"}, "permissions": {"btcpay.store.canviewinvoices"}}},
		"POST /keys/{id}/revoke":     {},
		"POST /keys/regenerate":      {filled: url.Values{"type": {"sandbox"}}},
		"POST /staff/invites":        {filled: url.Values{"role": {"cashier"}}},
		"POST /staff/{id}":           {filled: url.Values{"role": {"support"}, "refunds_a_day": {"0.1"}}},

		"POST /settings/wallet/hosted":        {},
		"POST /settings/resend-verification":  {filled: url.Values{"password": {password}}},
		"POST /settings/two-factor/setup":     {},
		"POST /settings/two-factor/verify":    {filled: url.Values{"code": {"123456"}}},
		"POST /settings/two-factor/disable":   {filled: url.Values{"code": {"123456"}}},
		"POST /charges/{id}/accept-underpaid": {},
		"POST /charges/{id}/toggle-active":    {filled: url.Values{"active": {"false"}}},
		"POST /charges/{id}/refunds":          {filled: url.Values{"variant": {"Custom"}, "amount": {"0.1"}, "currency": {"XMR"}}},
		"POST /charges/{id}/test/{what}":      {sandbox: true},
		"POST /charges/{id}/retry-deliveries": {sandbox: true},
		"POST /payment-requests/{id}/toggle":  {filled: url.Values{"active": {"false"}}},
		"POST /payment-requests/{id}/delete":  {},
		"POST /refunds/{id}/approve":          {},
		"POST /refunds/{id}/cancel":           {},
		"POST /refunds/{id}/payment":          {filled: url.Values{"claim_id": {s.claim()}, "tx_hash": {"aa"}, "tx_key": {"bb"}}},
		"POST /payouts/sweep":                 {},
		"POST /deliveries/{id}/redeliver":     {},
		"POST /swaps":                         {filled: url.Values{"to": {"btc"}, "amount": {"1"}, "address": {"bc1q"}, "quote_id": {"q"}}},
		"POST /staff/invites/{id}/revoke":     {},
		"POST /staff/{id}/remove":             {},
	}
}

// endsTheSession returns the forms that replace or end the session, so that the same form does
// not belong to the session any more.
func endsTheSession() []string {
	return []string{"POST /log-out", "POST /mode", "POST /shops", "POST /shops/{id}/leave", "POST /join/{token}", "POST /settings/delete", "POST /settings/password"}
}

// twiceIsHarmless returns why a form may change something each time it is sent.
func twiceIsHarmless() map[string]string {
	return map[string]string{
		"POST /settings/two-factor/verify": "a wrong code is counted each time, as at a login",
	}
}

// TestEveryFormThatIsSentTwiceActsOnce sends every form of the desk twice. That happens when a
// person presses the button again, reloads the page or goes back.
func TestEveryFormThatIsSentTwiceActsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, leaver := b.own(t), b.signup(t)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", s.charge)
	live := b.enterShop(t, s.shop, "")
	sandbox := live.inSandbox(t)
	forms := s.deskForms()
	routes, open := desk.Routes()
	once := desk.TakenOnce()
	last := func(route string) int { // delete rows late, because other forms need them
		if strings.HasSuffix(route, "}/delete") {
			return 0
		}
		if i := slices.Index(endsTheSession(), route); i >= 0 {
			return 1 + i
		}
		return -1
	}
	visitors := map[string]shopper{"POST /settings/delete": b.enterShop(t, leaver, "")}
	for _, route := range endsTheSession() {
		if _, has := visitors[route]; !has {
			visitors[route] = b.enterShop(t, s.shop, "")
		}
	}
	slices.SortStableFunc(routes, func(a, b string) int { return last(a) - last(b) })
	for _, route := range routes {
		method, path := s.shopPath(route)
		if method != http.MethodPost || open[route] {
			continue
		}
		f, known := forms[route]
		require.True(t, known, "no form of %s is tried twice", route)
		v := live
		if f.sandbox {
			v, path = sandbox, strings.Replace(path, s.charge, s.simulated, 1)
		}
		if own, has := visitors[route]; has {
			v = own
		}
		form := v.formOf(t, "/settings/account", f.filled)
		first := v.send(t, http.MethodPost, path, form)
		between := b.digest(t)
		second := v.send(t, http.MethodPost, path, form)
		for table, content := range b.digest(t) {
			if content != between[table] && twiceIsHarmless()[route] == "" {
				t.Errorf("%s acts twice on %s: %d, then %d", route, table, first.status, second.status)
			}
		}
		if slices.Contains(once, route) && (first.status < 400 || first.status >= 500) {
			require.Equal(t, http.StatusConflict, second.status, "%s: %d, then %s", route, first.status, second.body)
		}
	}
}

// TestFormsThatAreSentTwiceAtOnceAreTakenOnce sends each form that is accepted only once four
// times at the same moment.
func TestFormsThatAreSentTwiceAtOnceAreTakenOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	live := b.enterShop(t, s.shop, "")
	sandbox := live.inSandbox(t)
	for _, route := range desk.TakenOnce() {
		f := s.deskForms()[route]
		method, path := s.shopPath(route)
		v := live
		if f.sandbox {
			v, path = sandbox, strings.Replace(path, s.charge, s.simulated, 1)
		}
		form := v.formOf(t, "/settings/account", f.filled)
		statuses := make([]int, 4)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() { statuses[i] = v.send(t, method, path, form).status })
		}
		all.Wait()
		taken := slices.DeleteFunc(slices.Clone(statuses), func(status int) bool { return status == http.StatusConflict })
		refused := slices.ContainsFunc(taken, func(status int) bool { return status >= 400 && status < 500 })
		if !refused { // a refused form may be resubmitted
			require.Len(t, taken, 1, "%s: %v", route, statuses)
		}
	}
}
