package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// belongings is a shop with one resource of each kind, so that every operation has something to
// work on.
type belongings struct {
	shop
	// operator is the session of an operator, for the operations of /api/admin.
	operator string

	charge, request, webhook, delivery, payout, swap, scoped, refund, trade string
	// simulated is a charge of the simulated sandbox.
	simulated string
	// person is a staff member, invite is an invite to the shop, and worksAt is another shop that
	// employs the merchant.
	person, invite, worksAt string
	// invitation is the token of an invite to another shop.
	invitation string
	// unmatched is a payment that belongs to no charge, and alert is the alert about it.
	unmatched, alert string
}

// own creates a shop with one resource of each kind.
func (b *bench) own(t *testing.T) belongings {
	t.Helper()
	s := belongings{shop: b.reporter(t, "USD")}
	s.charge = b.charge(t, s.shop, config.Live, func(r *db.InsertChargeParams) { r.Fields = []string{"email"} })
	s.request = b.requested(t, s.live, `{"amount":40.5,"currency":"EUR","fields":["email"]}`)
	s.webhook = b.webhook(t, s.shop, `{"url":"http://127.0.0.1:1/","events":["charge.confirmed"]}`).require(t, http.StatusOK).text(t, "id")
	s.delivery = b.deliver(t, s.shop, s.charge)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE deliveries SET status = 'failed', attempts = 3, next_attempt_at = NULL WHERE id = $1", s.delivery)
	require.NoError(t, err)
	s.payout = "po_" + strings.TrimPrefix(s.charge, "ch_")
	require.NoError(t, b.store.InsertPayout(t.Context(), db.InsertPayoutParams{
		ID: s.payout, MerchantID: s.id, WalletID: "live-1", AddressSealed: []byte{1}, AddressMasked: "48DCHZ…3FaS4u",
		Gross: money.OneXMR, ChargesPaid: 1, Outputs: 1, CreatedAt: b.clock.Now(),
	}))
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE payouts SET status = 'failed' WHERE id = $1", s.payout)
	require.NoError(t, err)
	b.enter(t, s.shop, config.Live, b.clock.Now().Add(-time.Hour))
	s.swap = b.pastSwap(t, s.shop)
	s.scoped = b.grant(t, s.shop, "live", permission.ViewInvoices).text(t, "details.id")
	s.refund = "rf_" + strings.TrimPrefix(s.charge, "ch_")
	b.exec(t, `INSERT INTO refunds (id, merchant_id, charge_id, variant, amount, token_hash, created_at, expires_at)
		VALUES ($1, $2, $3, 'Custom', 1000000000000, sha256('token'), now(), now() + interval '30 days')`, s.refund, s.id, s.charge)
	s.trade = b.trade(t, strings.TrimPrefix(s.charge, "ch_")+"00000000")
	s.simulated = b.simulatedCharge(t, s.shop)
	other := b.signup(t)
	s.person, s.worksAt = other.id, other.id
	b.employ(t, s.shop, other, permission.Cashier)
	b.employ(t, other, s.shop, permission.Cashier)
	s.invite = b.send(t, http.MethodPost, "/api/account/staff/invites", session(s.token), `{"role":"support"}`).require(t, http.StatusOK).text(t, "invite.id")
	s.invitation = b.invited(t, b.signup(t), `{"role":"support"}`)
	s.operator = b.admin(t).token
	s.unmatched, s.alert = b.stray(t)
	return s
}

// trade inserts a trade that another provider fills, whose details this API cannot open.
func (b *bench) trade(t *testing.T, id string) string {
	t.Helper()
	b.exec(t, `INSERT INTO trades (id, id_provider, details_sealed, provider, risk, ticker_from, network_from, ticker_to, network_to, amount_from, amount_to, rate,
			min_from, max_from, deposit_address, confirmations, created_at, window_seconds, expires_at, reserved, updated_at)
		VALUES ($1, $2, '\x01', 'other', 'precheck', 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1.5, 2.75, 1.8, 1, 9, $3, 1, $4, 1800, $4::timestamptz + interval '30 minutes', 0, $4)`,
		id, "order-"+id, "deposit address of "+id[:8], b.clock.Now())
	return id
}

func (b *bench) employ(t *testing.T, in, person shop, role permission.Role) {
	t.Helper()
	b.exec(t, "INSERT INTO staff (merchant_id, person_id, role, created_at) VALUES ($1, $2, $3, now())", in.id, person.id, role)
}

// invited creates an invite to a shop and returns its token.
func (b *bench) invited(t *testing.T, to shop, body string) string {
	t.Helper()
	link := b.send(t, http.MethodPost, "/api/account/staff/invites", session(to.token), body).require(t, http.StatusOK).text(t, "link")
	_, token, is := strings.Cut(link, "/join/")
	require.True(t, is, link)
	return token
}

// stray inserts a payment that belongs to no charge, and its alert.
func (b *bench) stray(t *testing.T) (payment, notice string) {
	t.Helper()
	height, tx := int64(100), secret.NewSecret()
	require.NoError(t, b.store.InsertReceivedPayment(t.Context(), db.InsertReceivedPaymentParams{
		WalletID: "live-1", TxHash: tx, SubaddressIndex: 7, Amount: money.OneXMR, Outputs: 1, Height: &height, MatureHeight: &height,
		FirstSeenAt: b.clock.Now(),
	}))
	require.NoError(t, b.store.OpenAlert(t.Context(), db.OpenAlertParams{
		Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(tx, 7), Detail: "money",
	}))
	ids := rowsOf[string](t, b, "SELECT id::text FROM received_payments WHERE tx_hash = '"+tx+"' UNION ALL SELECT id::text FROM alerts WHERE subject LIKE '%"+tx+"%'")
	require.Len(t, ids, 2)
	return ids[0], ids[1]
}

// sample describes a correct call of an operation.
type sample struct {
	// body is the JSON body; if it is empty, the documented example is sent.
	body string
	// prepare sets up what the call needs. It may return a body for the call.
	prepare func(*testing.T, *bench, belongings) string
	// status is the status of the answer; 0 stands for 200.
	status int
	// query has the parameters that every call needs.
	query string
	// queries has parameters that change the form of the answer.
	queries []string
	// anyMode is set if the operation's resource belongs to both modes.
	anyMode bool
}

// samples returns the samples of operations for which the documented example alone is not
// enough.
func samples() map[string]func(belongings) sample {
	return map[string]func(belongings) sample{
		"login": func(s belongings) sample {
			return sample{body: fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password)}
		},
		"signup": func(s belongings) sample {
			return sample{body: fmt.Sprintf(`{"email":"new-%s","password":%q,"businessName":"Example Shop"}`, s.email, password)}
		},
		"createButtonCharge": func(s belongings) sample {
			return sample{body: fmt.Sprintf(`{"merchant_id":%q,"amount":49.9,"currency":"USD","description":"Two tickets","fields":["email"]}`, s.id)}
		},
		"acceptUnderpaid": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				b.exec(t, "UPDATE charges SET status = 'expired' WHERE id = $1", s.charge)
				b.receive(t, s.charge, 1)
				return ""
			}}
		},
		"createRefund": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				b.exec(t, "DELETE FROM refunds WHERE charge_id = $1", s.charge)
				b.receive(t, s.charge, money.OneXMR)
				b.exec(t, "UPDATE received_payments SET mature = true WHERE charge_id = $1", s.charge)
				b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", s.charge)
				return ""
			}}
		},
		"approveRefund": func(belongings) sample {
			return sample{body: "{}", prepare: func(t *testing.T, b *bench, s belongings) string {
				b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
					VALUES ($1, $2, 'awaiting_approval', 1, '', '', now(), now())`, s.claim(), s.refund)
				return ""
			}}
		},
		"approveRefundByKey": func(belongings) sample {
			return sample{body: "{}", prepare: func(t *testing.T, b *bench, s belongings) string {
				b.exec(t, "UPDATE merchants SET refund_key_approves = true WHERE merchant_id = $1", s.id)
				b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
					VALUES ($1, $2, 'awaiting_approval', 1, '', '', now(), now())`, s.claim(), s.refund)
				return ""
			}}
		},
		// The claim is paid by the transaction of the document's example.
		"payClaim": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				sealed, err := b.box.Seal([]byte(buyersAddress), secret.OwnClaimPlace.Of(s.claim()))
				require.NoError(t, err)
				b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, own_address_sealed, address_masked, next_at, created_at, approved_at, sent_at)
					VALUES ($1, $2, 'in_progress', 1, $3, '', now(), now(), now(), now())`, s.claim(), s.refund, sealed)
				b.exec(t, `INSERT INTO refund_payments (one_time_key, claim_id, tx_hash, output_index, created_at)
					VALUES (sha256($1::bytea), $2, 'b1ac1f5e0e3a8b0f7c4d2e9a6b8c0d1e2f3a4b5c6d7e8f90a1b2c3d4e5f60718', 0, now())`, []byte(s.claim()), s.claim())
				return ""
			}}
		},
		"adminFind": func(s belongings) sample { return sample{query: "?text=" + s.charge} },
		// The time in the document's example is in the past.
		"adminHold": func(belongings) sample {
			return sample{body: fmt.Sprintf(`{"until":%q}`, time.Now().Add(24*time.Hour).Format(time.RFC3339))}
		},
		"cancelRefund": func(belongings) sample { return sample{body: "{}"} },
		"claimRefund": func(belongings) sample {
			return sample{body: fmt.Sprintf(`{"token":"token","address":%q}`, payoutAddress)}
		},
		// The link's secret is sent in a header, which this call lacks.
		"getPublicRefund": func(belongings) sample { return sample{status: http.StatusNotFound} },
		"deletePaymentRequest": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				b.toggle(t, s.shop, s.request).require(t, http.StatusOK)
				return ""
			}}
		},
		// Without a mail server there is no address to verify.
		"resendVerification": func(s belongings) sample {
			return sample{body: fmt.Sprintf(`{"email":%q,"password":%q}`, s.email, password), status: http.StatusBadRequest}
		},
		"readStaffInvite": func(belongings) sample { return sample{prepare: anInvitation} },
		"joinShop":        func(belongings) sample { return sample{prepare: anInvitation} },
		"stepUp":          func(belongings) sample { return sample{body: fmt.Sprintf(`{"password":%q}`, password)} },
		// Without a mail server there is no link.
		"forgotPassword": func(belongings) sample { return sample{status: http.StatusBadRequest} },
		"resetPassword":  func(belongings) sample { return sample{status: http.StatusBadRequest} },
		"setPassword": func(belongings) sample {
			return sample{body: fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey dishwasher"}`, password)}
		},
		"setEmail": func(s belongings) sample {
			return sample{body: fmt.Sprintf(`{"email":"other-%s","password":%q}`, s.email, password)}
		},
		"deleteAccount": func(belongings) sample {
			return sample{body: fmt.Sprintf(`{"password":%q}`, password), prepare: func(t *testing.T, b *bench, s belongings) string {
				b.exec(t, "UPDATE refunds SET status = 'cancelled', cancelled_at = now() WHERE merchant_id = $1", s.id)
				return ""
			}}
		},
		"verifyTwoFactor": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				code, _ := b.enrol(t, s)
				return code
			}}
		},
		"disableTwoFactor": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				code, backup := b.enrol(t, s)
				b.send(t, http.MethodPost, "/api/auth/2fa/verify", session(s.token), code).require(t, http.StatusOK)
				return backup
			}}
		},
		// The log of a webhook is empty for a key of the other mode.
		"listWebhookDeliveries": func(belongings) sample { return sample{anyMode: true} },
		"getChargeQR":           func(belongings) sample { return sample{queries: []string{"?format=png"}} },
		"reportTransactions":    func(belongings) sample { return sample{queries: []string{"?format=csv", "?include_fiat=false"}} },
		"reportSummary": func(belongings) sample {
			return sample{queries: []string{"?period=quarterly&year=2026&quarter=4", "?period=annual"}}
		},
		"setAutoSwap": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, s belongings) string {
				b.send(t, http.MethodPut, "/api/account/payout", session(s.token), fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
				return ""
			}}
		},
		"getSwapQuote":   func(belongings) sample { return sample{query: "?to=ltc"} },
		"getSwapRate":    func(belongings) sample { return sample{query: "?to=ltc"} },
		"listSwapQuotes": func(belongings) sample { return sample{query: "?to=ltc"} },
		"createSwap": func(belongings) sample {
			return sample{prepare: func(t *testing.T, b *bench, _ belongings) string {
				body, err := json.Marshal(b.quoted(t))
				require.NoError(t, err)
				return string(body)
			}}
		},
		// Only a wallet can build a payout, and these tests have none.
		"sweep": func(belongings) sample { return sample{status: http.StatusBadRequest} },
	}
}

// anInvitation returns a body with the token of an invite to another shop.
func anInvitation(t *testing.T, b *bench, _ belongings) string {
	t.Helper()
	return fmt.Sprintf(`{"token":%q}`, b.invited(t, b.signup(t), `{"role":"support","refunds_a_day_xmr":0.5,"note":"Saturdays"}`))
}

// enrol starts two-factor authentication and returns two bodies: one with a code and one with a
// backup code. The code is the next one by the service's clock. It is valid already, and stays
// valid for at least a minute if that clock moves.
func (b *bench) enrol(t *testing.T, s belongings) (code, backup string) {
	t.Helper()
	a := b.send(t, http.MethodPost, "/api/auth/2fa/setup", session(s.token), "").require(t, http.StatusOK)
	digits := b.code(t, a.text(t, "secret"), 30*time.Second)
	codes, ok := a.field(t, "backupCodes").([]any)
	require.True(t, ok)
	return fmt.Sprintf(`{"code":%q}`, digits), fmt.Sprintf(`{"code":%q}`, codes[0])
}

// ready prepares the call and returns its body.
func (w sample) ready(t *testing.T, b *bench, s belongings) string {
	t.Helper()
	if w.prepare != nil {
		if body := w.prepare(t, b, s); body != "" {
			return body
		}
	}
	return w.body
}

// sampleOf returns how an operation is called with the belongings.
func sampleOf(t *testing.T, o operation, s belongings) sample {
	t.Helper()
	var with sample
	if special, ok := samples()[o.OperationID]; ok {
		with = special(s)
	}
	if with.body == "" {
		with.body = o.example(t)
	}
	if with.status == 0 {
		with.status = http.StatusOK
	}
	return with
}

var parameter = regexp.MustCompile(`\{[^}]*\}`)

// pathOf returns the operation's path, with the belongings' identifiers.
func (s belongings) pathOf(t *testing.T, o operation) string {
	t.Helper()
	if !o.owned() {
		return o.Path
	}
	collection, _, _ := strings.Cut(o.Path, "/{")
	id, ok := map[string]string{
		"/api/charges": s.charge, "/api/test/charges": s.simulated, "/api/payment-requests": s.request, "/api/webhooks": s.webhook,
		"/api/swap/status": s.swap, "/api/webhooks/deliveries": s.delivery, "/api/payouts": s.payout, "/api/refunds": s.refund, "/api/admin/merchants": s.id,
		"/api/account/application-keys": s.scoped, "/api/account/refunds": s.refund,
		"/api/account/staff": s.person, "/api/account/staff/invites": s.invite, "/api/account/shops": s.worksAt,
		"/api/admin/charges": s.charge, "/api/admin/payouts": s.payout, "/api/admin/refunds": s.refund, "/api/admin/trades": s.trade,
		"/api/admin/unmatched": s.unmatched, "/api/admin/alerts": s.alert, "/api/admin/deliveries": s.delivery,
	}[collection]
	path := strings.Replace(o.Path, "{claim_id}", s.claim(), 1)
	require.True(t, ok && strings.Count(path, "{") == 1,
		"%s: nobody says what stands for its path parameters; add it to belongings (samples_test.go)", o)
	return parameter.ReplaceAllLiteralString(path, id)
}

// claim returns the identifier of the claim of the refund that samples make.
func (s belongings) claim() string { return "rc_" + strings.TrimPrefix(s.refund, "rf_") }

func (s belongings) credential(t *testing.T, o operation) as {
	t.Helper()
	if o.admin() {
		require.NotEmpty(t, s.operator, "%s: nobody says who is an operator; set belongings.operator in own (samples_test.go)", o)
		return session(s.operator)
	}
	return s.merchantCredential(o)
}

// inSandbox reports whether an operation is only for keys of the sandbox.
func (o operation) inSandbox() bool { return strings.HasPrefix(o.Path, "/api/test/") }

// merchantCredential returns the merchant's credential of the operation's kind, even if only
// operators may call it.
func (s belongings) merchantCredential(o operation) as {
	switch o.kind {
	case keyKind:
		if o.inSandbox() {
			return key(s.test)
		}
		return key(s.live)
	case sessionKind:
		return session(s.token)
	default:
		return anonymous()
	}
}
