package accounts

import (
	"context"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type newAccount struct {
	Email        string `json:"email" doc:"Email address, at most 254 characters" example:"shop@example.com"`
	Password     string `json:"password" doc:"10 to 200 characters" example:"correct horse battery staple"`
	BusinessName string `json:"businessName" doc:"Shown to customers, 1 to 200 characters" example:"Example Shop"`
	Invite       string `json:"invite,omitempty" doc:"An invite of the operator, where opening an account takes one; good once" example:"inv_0123456789abcdef0123456789abcdef0123456789abcdef"`
}

type keyPair struct {
	Production string `json:"production" doc:"Key of the live wallet; shown only now" example:"cm_live_0123456789abcdef0123456789abcdef0123456789abcdef"`
	Sandbox    string `json:"sandbox" doc:"Key of the sandbox wallet; shown only now" example:"cm_test_0123456789abcdef0123456789abcdef0123456789abcdef"`
}

type newMerchant struct {
	ID           int64  `json:"id" doc:"Number of the account" example:"1"`
	MerchantID   string `json:"merchant_id" doc:"Public identifier, 32 hex digits" example:"0123456789abcdef0123456789abcdef"`
	Email        string `json:"email" example:"shop@example.com"`
	BusinessName string `json:"businessName" example:"Example Shop"`
}

type signupResult struct {
	Merchant newMerchant `json:"merchant"`
	Token    string      `json:"token" doc:"Session token (JWT), valid for 7 days"`
	APIKeys  keyPair     `json:"apiKeys"`
}

func (h *Logins) signup(ctx context.Context, in *struct {
	Body httpapi.Body[newAccount]
	httpapi.FromClient
},
) (*httpapi.Out[signupResult], error) {
	fields := in.Body.Value()
	var err error
	if fields.Email, err = account.ParseEmail(fields.Email); err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	if fields.BusinessName, err = account.ParseBusinessName(fields.BusinessName); err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	if err := h.mayOpen(ctx, fields.Invite); err != nil {
		return nil, err
	}
	// The password is hashed even if the sign-up is refused below, so that the time does not reveal
	// whether the email is in use.
	hash, err := h.Passwords.Hash(ctx, fields.Password)
	if err != nil {
		return nil, err
	}
	refused := httpapi.BadRequest("the email or the password cannot be used; a password has %d to %d characters",
		account.MinPassword, account.MaxPassword)
	if !account.PasswordLongEnough(fields.Password) {
		return nil, refused
	}
	result, err := h.openAccount(in.Remote(), fields, hash)
	if postgres.IsDuplicate(err) {
		return nil, refused
	}
	return httpapi.With(result, err)
}

// mayOpen refuses a sign-up that the operator does not allow (403), before any work is done for
// it.
func (h *Logins) mayOpen(ctx context.Context, invite string) error {
	switch h.SignUp {
	case config.SignUpClosed:
		return httpapi.Forbidden("accounts are opened by the operator only")
	case config.SignUpInvite:
		if !secret.IsInvite(invite) {
			return errNoInvite()
		}
		good, err := h.Store.InviteIsGood(ctx, db.InviteIsGoodParams{TokenHash: secret.HashAPIKey(invite), Now: h.Clock()})
		if err == nil && !good {
			err = errNoInvite()
		}
		return err
	default:
		return nil
	}
}

func errNoInvite() error {
	return httpapi.Forbidden("an invite of the operator is needed that is still good")
}

// useInvite uses an invite up, if the service needs one. Of two sign-ups with the same invite,
// only one gets an account.
func (h *Logins) useInvite(ctx context.Context, q *db.Queries, invite, merchantID string) error {
	if h.SignUp != config.SignUpInvite {
		return nil
	}
	n, err := q.UseInvite(ctx, db.UseInviteParams{TokenHash: secret.HashAPIKey(invite), MerchantID: merchantID, Now: h.Clock()})
	if err == nil && n == 0 {
		err = errNoInvite()
	}
	return err
}

// openAccount creates an account in one transaction: it inserts the merchant and both keys, uses
// the invite up, and records where the account was opened. Where addresses are verified, it also
// inserts the verification.
func (h *Logins) openAccount(r *http.Request, fields newAccount, hash string) (signupResult, error) {
	ctx := r.Context()
	id := secret.NewMerchantID()
	sealed, err := h.Box.Seal([]byte(fields.Email), secret.EmailPlace.Of(id))
	if err != nil {
		return signupResult{}, err
	}
	verify, err := h.beginVerification(ctx, id, fields.Email)
	if err != nil {
		return signupResult{}, err
	}
	var m db.Merchant
	var verifyBy *time.Time
	if h.VerifyEmail {
		until := h.Clock().Add(account.UnverifiedLife)
		verifyBy = &until
	}
	keys := keyPair{secret.NewAPIKey(true), secret.NewAPIKey(false)}
	err = h.Store.Tx(ctx, func(q *db.Queries) error {
		if m, err = h.insertMerchant(ctx, q, db.InsertMerchantParams{
			MerchantID: id, EmailSealed: sealed, EmailIndex: h.Index.Email(fields.Email),
			BusinessName: fields.BusinessName, PasswordHash: hash, VerifyBy: verifyBy, ReportingEnabled: h.Reporting,
		}); err != nil {
			return err
		}
		if err := h.useInvite(ctx, q, fields.Invite, id); err != nil {
			return err
		}
		if err := access.PutKey(ctx, q, id, config.Live, keys.Production, h.Clock()); err != nil {
			return err
		}
		if err := access.PutKey(ctx, q, id, config.Sandbox, keys.Sandbox, h.Clock()); err != nil {
			return err
		}
		if err := h.Logins.Remember(q, r, id); err != nil {
			return err
		}
		return verify(q)
	})
	if err != nil {
		return signupResult{}, err
	}
	token, err := h.Tokens.Issue(account.Session{MerchantID: id, Version: m.TokenVersion})
	return signupResult{newMerchant{m.ID, id, fields.Email, m.BusinessName}, token, keys}, err
}

// insertMerchant inserts a merchant and assigns it to one wallet of each mode.
func (h *Logins) insertMerchant(ctx context.Context, q *db.Queries, m db.InsertMerchantParams) (db.Merchant, error) {
	walletFor := func(mode config.Mode) db.WalletForNewMerchantParams {
		return db.WalletForNewMerchantParams{Mode: string(mode), MerchantID: m.MerchantID}
	}
	var err error
	if m.LiveWalletID, err = q.WalletForNewMerchant(ctx, walletFor(config.Live)); err != nil {
		return db.Merchant{}, err
	}
	if m.SandboxWalletID, err = q.WalletForNewMerchant(ctx, walletFor(config.Sandbox)); err != nil {
		return db.Merchant{}, err
	}
	return q.InsertMerchant(ctx, m)
}
