package access

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Judge checks logins.
type Judge struct {
	Store     *postgres.Store
	Index     *secret.BlindIndex
	Passwords *account.Passwords
	Confirm   Asker
	Clock     func() time.Time
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
	// NetworkKey hashes the networks from which merchants log in: 32 bytes. It is nil if the
	// service cannot send a mail about a new network; then networks are not stored.
	NetworkKey []byte
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// Password checks the password for an email address. ip is the client's address. It returns 400
// if one of the two is missing, 403 if ip is blocked, 423 if the email address is locked, and
// 401 if the password is wrong. An unknown email address takes the same path and the same time
// as a known one with a wrong password.
func (j Judge) Password(ctx context.Context, email, password, ip string) (db.Merchant, error) {
	if email == "" || password == "" {
		return db.Merchant{}, httpapi.BadRequest("email and password are required")
	}
	if err := j.refuseBlocked(ctx, ip); err != nil {
		return db.Merchant{}, err
	}
	index := j.Index.Email(email)
	m, err := j.Store.GetMerchantByEmail(ctx, index)
	if err != nil && !postgres.IsNotFound(err) {
		return db.Merchant{}, err
	}
	fits, err := j.Passwords.Check(ctx, password, m.PasswordHash, func() error {
		return refuseLocked(ctx, j.Store.Queries, index, j.Clock())
	})
	if err != nil {
		return db.Merchant{}, err
	}
	if !fits {
		if err := countGuess(ctx, j.Store.Queries, index, j.Clock()); err != nil {
			return db.Merchant{}, err
		}
		if err := j.countIPFailure(ctx, ip); err != nil {
			return db.Merchant{}, err
		}
		return db.Merchant{}, httpapi.Unauthorized("wrong email or password")
	}
	return m, nil
}

// SecondFactor checks the second factor of an account that has one, and then resets the
// account's count of failed logins. A correct password alone does not reset it: a person who
// knows the password could then guess at codes without end. It returns the errors of Password.
func (j Judge) SecondFactor(ctx context.Context, m db.Merchant, f Factor, ip string) error {
	if m.TotpEnabledAt == nil {
		return j.Store.ClearLoginFailures(ctx, m.EmailIndex)
	}
	if err := j.refuseBlocked(ctx, ip); err != nil {
		return err
	}
	fits, err := j.Confirm.Use(ctx, m.MerchantID, m.EmailIndex, f, func(q *db.Queries) error {
		return q.ClearLoginFailures(ctx, m.EmailIndex)
	})
	if err != nil || fits {
		return err
	}
	if err := j.countIPFailure(ctx, ip); err != nil {
		return err
	}
	return httpapi.Unauthorized("wrong code")
}

// Refused returns 403 if a merchant with correct credentials may not log in: the account is
// suspended, or its address still has to be verified.
func (j Judge) Refused(m db.Merchant) error {
	switch {
	case m.SuspendedAt != nil:
		return Suspended()
	case j.VerifyEmail && m.EmailVerifiedAt == nil:
		return Unconfirmed()
	default:
		return nil
	}
}

// Succeeded records from where a merchant logged in, and notifies the merchant by mail if the
// network is new.
func (j Judge) Succeeded(r *http.Request, merchantID string) error {
	return j.Store.Tx(r.Context(), func(q *db.Queries) error { return j.Remember(q, r, merchantID) })
}

// Remember is Succeeded within the caller's transaction. All logins through Tor count as one
// network.
func (j Judge) Remember(q *db.Queries, r *http.Request, merchantID string) error {
	if j.NetworkKey == nil {
		return nil
	}
	l := notice.Login{MerchantID: merchantID, At: j.Clock()}
	if _, ok := web.Circuit(r); !ok {
		l.From, _ = web.ClientAddr(r, j.TrustedProxies)
	}
	return notice.SeeLogin(r.Context(), q, j.NetworkKey, l)
}

// refuseBlocked returns 403 for an address that has tried too many passwords.
func (j Judge) refuseBlocked(ctx context.Context, ip string) error {
	row, err := j.Store.GetIPFailures(ctx, ip)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil && row.BlockedUntil != nil && j.Clock().Before(*row.BlockedUntil) {
		return httpapi.Forbidden("too many failed logins from this address")
	}
	return err
}

// countIPFailure counts a failed login for the address that it came from.
func (j Judge) countIPFailure(ctx context.Context, ip string) error {
	now := j.Clock()
	_, err := j.Store.CountIPFailure(ctx, db.CountIPFailureParams{
		Ip: ip, Now: now, WindowFrom: now.Add(-account.IPWindow), MaxFailures: account.MaxIPFailures,
		BlockUntil: now.Add(account.IPBlockTime),
	})
	return err
}
