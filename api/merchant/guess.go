package merchant

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// factor is a second factor that somebody presents: a TOTP code or a backup
// code.
type factor struct{ totp, backup string }

// given tells whether there is one.
func (f factor) given() bool { return f.totp != "" || f.backup != "" }

// Asker asks who is logged in for the password or a second factor.
type Asker struct {
	Store     *postgres.Store
	Box       *secret.Box
	Clock     func() time.Time
	Passwords *account.Passwords
	Limits    *Limits
}

// What a session can guess at. Each is counted apart, so that knowing one does
// not clear the guesses at the other, and apart from logins, so that strangers
// who fail to log in do not lock out who is logged in. Guesses at the password
// are those of one session: whoever has a copy of a token does not keep the owner
// from taking another password, and no session is had without the password. Guesses
// at codes are the account's, since whoever knows the password has as many
// sessions as they like.
const (
	guessPassword = "password"
	guessCode     = "code"
)

// guessKey is what the guesses of a session or a merchant's sessions are counted
// under. No blind index of an address has the same value.
func guessKey(what, whose string) []byte {
	sum := sha256.Sum256([]byte(what + ":" + whose))
	return sum[:]
}

// Password asks who is logged in for the password: 400 when it is
// missing, 403 when it is wrong, 423 after five wrong ones of the session in a
// row, 429 after ten of it in 15 minutes, or 30 of the account: each one costs a
// hash, a right one too.
func (a Asker) Password(ctx context.Context, m db.Merchant, name, password string) error {
	if password == "" {
		return badRequest("%s is required", name)
	}
	session := sessionOf(ctx).ID
	for _, count := range []struct {
		limit limit
		whose string
	}{{limitPassword, session}, {limitPasswords, m.MerchantID}} {
		within, err := a.Limits.Take(ctx, count.limit, nil, count.whose)
		if err != nil {
			return err
		}
		if !within {
			return tooMany(passwordPause)
		}
	}
	key := guessKey(guessPassword, session)
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
		return forbidden(name + " is wrong")
	}
	return a.Store.ClearLoginFailures(ctx, key)
}

// Code asks who is logged in for a second factor: 400 when it is
// missing, 403 when it is wrong, 423 after five wrong ones in a row. then runs
// in the transaction that uses the code up.
func (a Asker) Code(ctx context.Context, m db.Merchant, name string, f factor, then func(q *db.Queries) error) error {
	if !f.given() {
		return badRequest("%s is required", name)
	}
	key := guessKey(guessCode, m.MerchantID)
	fits, err := a.Use(ctx, m.MerchantID, key, f, func(q *db.Queries) error {
		if err := q.ClearLoginFailures(ctx, key); err != nil {
			return err
		}
		return then(q)
	})
	if err == nil && !fits {
		return forbidden(name + " is wrong")
	}
	return err
}

// Use checks a second factor and uses it up; then runs when it was good.
// A wrong one is counted under key. The merchant's row is held meanwhile, so
// that of two requests with one code exactly one is let through, and guesses
// sent at once cannot outrun the lock.
func (a Asker) Use(ctx context.Context, merchantID string, key []byte, f factor, then func(q *db.Queries) error) (fits bool, err error) {
	now := a.Clock()
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		m, err := q.HoldMerchant(ctx, merchantID)
		if err != nil {
			return noSession(err)
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

// takeFactor tells whether a second factor is good, and uses it up if it is.
func (a Asker) takeFactor(ctx context.Context, q *db.Queries, m db.Merchant, f factor) (bool, error) {
	if m.TotpSecretSealed == nil {
		return false, nil // switched off meanwhile
	}
	if f.totp == "" {
		n, err := q.UseBackupCode(ctx, db.UseBackupCodeParams{
			MerchantID: m.MerchantID, CodeHash: account.HashBackupCode(m.MerchantID, f.backup),
		})
		return n == 1, err
	}
	key, err := a.Box.Unseal(m.TotpSecretSealed, secret.TOTPPlace(m.MerchantID))
	if err != nil {
		return false, err
	}
	used, good := account.UseTOTP(string(key), f.totp, a.Clock(), m.TotpUsedSteps)
	if !good {
		return false, nil
	}
	return true, q.SetTOTPSteps(ctx, db.SetTOTPStepsParams{MerchantID: m.MerchantID, UsedSteps: used})
}

// refuseLocked stops guesses at what is locked.
func refuseLocked(ctx context.Context, q *db.Queries, key []byte, now time.Time) error {
	row, err := q.GetLoginFailures(ctx, key)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil && row.LockedUntil != nil {
		if wait := row.LockedUntil.Sub(now); wait > 0 {
			return locked(wait)
		}
	}
	return err
}

// countGuess counts a wrong guess and locks after too many in a row.
func countGuess(ctx context.Context, q *db.Queries, key []byte, now time.Time) error {
	until := now.Add(account.LockTime)
	_, err := q.CountLoginFailure(ctx, db.CountLoginFailureParams{
		EmailIndex: key, Now: now, MaxFailures: account.MaxFailures, LockUntil: until,
	})
	return err
}
