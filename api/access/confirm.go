package access

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Guarded runs a change of the account that needs a code while two-factor authentication is on.
// The change and the code's use are one transaction. change gets the merchant's row, which is
// locked meanwhile.
func (a Asker) Guarded(ctx context.Context, m db.Merchant, code *string, change func(q *db.Queries, held db.Merchant) error) error {
	onHeld := func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, m.MerchantID)
		if err != nil {
			return NoSession(err)
		}
		if m.TotpEnabledAt == nil && held.TotpEnabledAt != nil {
			return httpapi.BadRequest("totp_code is required") // enabled meanwhile
		}
		if err := StillIn(m, held); err != nil {
			return err
		}
		return change(q, held)
	}
	if m.TotpEnabledAt == nil {
		return a.Store.Tx(ctx, onHeld)
	}
	return a.Code(ctx, m, "totp_code", Factor{TOTP: web.OrEmpty(code)}, onHeld)
}

// Factor is a second factor that a client presents: a TOTP code or a backup code.
type Factor struct{ TOTP, Backup string }

// Given reports whether the client presented one.
func (f Factor) Given() bool { return f.TOTP != "" || f.Backup != "" }

// Asker checks the password or a second factor of a person who is logged in.
type Asker struct {
	Store     *postgres.Store
	Box       *secret.Box
	Clock     func() time.Time
	Passwords *account.Passwords
	Limits    *Limits
}

// These are the secrets that a session can guess at. Guesses at each are counted separately, so
// that knowing one does not reset the count of the other. They are also counted separately from
// logins, so that strangers who fail to log in do not lock out a person who is logged in.
//
// Guesses at the password are counted by session. A thief with a copy of a token therefore
// cannot stop the owner from setting a new password, and getting another session needs the
// password. Guesses at codes are counted by account, because a person who knows the password can
// open as many sessions as they like.
const (
	guessPassword = "password"
	GuessCode     = "code"
)

// GuessKey returns the key under which the guesses of a session or an account are counted. It
// never equals the blind index of an address.
func GuessKey(what, whose string) []byte {
	sum := sha256.Sum256([]byte(what + ":" + whose))
	return sum[:]
}

// Password checks the password of a person who is logged in. It returns 400 if the password is
// missing, 403 if it is wrong, and 423 after five wrong ones in a row in the session. It returns
// 429 after ten checks in 15 minutes in the session or 30 in the account. Correct passwords
// count too, because each check costs a hash.
func (a Asker) Password(ctx context.Context, m db.Merchant, name, password string) error {
	if password == "" {
		return httpapi.BadRequest("%s is required", name)
	}
	session := SessionOf(ctx).ID
	for _, count := range []struct {
		limit Limit
		whose string
	}{{Password, session}, {Passwords, m.MerchantID}} {
		within, err := a.Limits.Take(ctx, count.limit, nil, count.whose)
		if err != nil {
			return err
		}
		if !within {
			return httpapi.TooMany(passwordPause)
		}
	}
	key := GuessKey(guessPassword, session)
	fits, err := a.Passwords.Check(ctx, password, m.PasswordHash, func() error {
		return refuseLocked(ctx, a.Store.Queries, key, a.Clock())
	})
	if err != nil {
		return err
	}
	if !fits {
		if err := countGuess(ctx, a.Store.Queries, key, a.Clock()); err != nil {
			return err
		}
		return httpapi.Forbidden(name + " is wrong")
	}
	return a.Store.ClearLoginFailures(ctx, key)
}

// Code checks a second factor of a person who is logged in: 400 if it is missing, 403 if it is
// wrong, 423 after five wrong ones in a row. It runs then in the transaction that uses the code
// up.
func (a Asker) Code(ctx context.Context, m db.Merchant, name string, f Factor, then func(q *db.Queries) error) error {
	if !f.Given() {
		return httpapi.BadRequest("%s is required", name)
	}
	key := GuessKey(GuessCode, m.MerchantID)
	fits, err := a.Use(ctx, m.MerchantID, key, f, func(q *db.Queries) error {
		if err := q.ClearLoginFailures(ctx, key); err != nil {
			return err
		}
		return then(q)
	})
	if err == nil && !fits {
		return httpapi.Forbidden(name + " is wrong")
	}
	return err
}

// Use checks a second factor and uses it up. If it was correct, Use runs then; if not, it counts
// a guess under key. It holds the merchant's row meanwhile. So of two requests with the same
// code exactly one gets through, and simultaneous guesses cannot outrun the lock.
func (a Asker) Use(ctx context.Context, merchantID string, key []byte, f Factor, then func(q *db.Queries) error) (fits bool, err error) {
	now := a.Clock()
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		m, err := q.HoldMerchant(ctx, merchantID)
		if err != nil {
			return NoSession(err)
		}
		if err := refuseLocked(ctx, q, key, now); err != nil {
			return err
		}
		if fits, err = a.takeFactor(ctx, q, m, f); err != nil {
			return err
		}
		if !fits {
			return countGuess(ctx, q, key, now)
		}
		return then(q)
	})
	return fits && err == nil, err
}

// takeFactor reports whether a second factor is correct, and uses it up if it is.
func (a Asker) takeFactor(ctx context.Context, q *db.Queries, m db.Merchant, f Factor) (bool, error) {
	if m.TotpSecretSealed == nil {
		return false, nil // switched off meanwhile
	}
	if f.TOTP == "" {
		n, err := q.UseBackupCode(ctx, db.UseBackupCodeParams{
			MerchantID: m.MerchantID, CodeHash: account.HashBackupCode(m.MerchantID, f.Backup),
		})
		return n == 1, err
	}
	key, err := a.Box.Unseal(m.TotpSecretSealed, secret.TOTPPlace.Of(m.MerchantID))
	if err != nil {
		return false, err
	}
	used, good := account.UseTOTP(string(key), f.TOTP, a.Clock(), m.TotpUsedSteps)
	if !good {
		return false, nil
	}
	return true, q.SetTOTPSteps(ctx, db.SetTOTPStepsParams{MerchantID: m.MerchantID, UsedSteps: used})
}

// refuseLocked returns 423 while guesses under key are locked.
func refuseLocked(ctx context.Context, q *db.Queries, key []byte, now time.Time) error {
	row, err := q.GetLoginFailures(ctx, key)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil && row.LockedUntil != nil {
		if wait := row.LockedUntil.Sub(now); wait > 0 {
			return httpapi.Locked(wait)
		}
	}
	return err
}

// countGuess counts a wrong guess. Too many in a row lock further guesses.
func countGuess(ctx context.Context, q *db.Queries, key []byte, now time.Time) error {
	until := now.Add(account.LockTime)
	_, err := q.CountLoginFailure(ctx, db.CountLoginFailureParams{
		EmailIndex: key, Now: now, MaxFailures: account.MaxFailures, LockUntil: until,
	})
	return err
}
