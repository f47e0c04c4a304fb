package merchant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/qr"
)

type twoFactorStatus struct {
	Enabled         bool `json:"enabled" doc:"Whether a login needs a second factor"`
	BackupCodesLeft int  `json:"backupCodesLeft" doc:"Backup codes that were not used yet; 0 while it is off" example:"10"`
}

type twoFactorSetup struct {
	Secret      string   `json:"secret" doc:"TOTP secret for the authenticator app, base32" example:"JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"`
	QRCode      string   `json:"qrCode" doc:"The same as a QR code: data URL of a PNG" example:"data:image/png;base64,iVBORw0KGgo="`
	BackupCodes []string `json:"backupCodes" doc:"Codes that stand in for a TOTP code, each once; shown only now"`
}

type codeInput struct {
	Code string `json:"code" doc:"Six digits from the authenticator app" example:"123456"`
}

type disableInput struct {
	Code string `json:"code" doc:"Six digits from the authenticator app, or a backup code" example:"123456"`
}

type twoFactorEnabled struct {
	Enabled bool `json:"enabled" doc:"Always true"`
}

type okAnswer struct {
	OK bool `json:"ok" doc:"Always true"`
}

// registerTwoFactor adds the second factor of logins.
func registerTwoFactor(api huma.API, a *app) {
	withSession(api, a, route{
		id: "getTwoFactor", method: http.MethodGet, path: "/api/auth/2fa/status", tag: tagAuth,
		summary: "Get the state of two-factor authentication", text: "And how many backup codes are left.",
		response: twoFactorStatus{true, 10},
	}, a.twoFactorStatus)
	withSession(api, a, route{
		id: "setupTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/setup", tag: tagAuth, recent: true,
		summary: "Begin two-factor authentication",
		text: "Returns a TOTP secret and backup codes; a login needs them once a code was verified. Again before that, it " +
			"replaces both; once it is enabled it answers 400.",
		errors:   []int{http.StatusBadRequest},
		response: exampleTwoFactor(),
	}, a.setupTwoFactor)
	withSession(api, a, route{
		id: "verifyTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/verify", tag: tagAuth, recent: true,
		summary: "Enable two-factor authentication",
		text:    "With a current code, which is used up by this. Every other session ends; this one goes on.",
		errors:  []int{http.StatusLocked},
		request: codeInput{"123456"}, response: twoFactorEnabled{true},
	}, a.verifyTwoFactor)
	withSession(api, a, route{
		id: "disableTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/disable", tag: tagAuth,
		summary: "Disable two-factor authentication",
		text:    "With a current code, or a backup code when the authenticator is lost. The remaining backup codes are void.",
		errors:  []int{http.StatusLocked},
		request: disableInput{"123456"}, response: okAnswer{true},
	}, a.disableTwoFactor)
}

func (a *app) twoFactorStatus(ctx context.Context, m db.Merchant, _ *none) (*out[twoFactorStatus], error) {
	if m.TotpEnabledAt == nil {
		return answer(twoFactorStatus{}, nil)
	}
	left, err := a.Store.CountBackupCodes(ctx, m.MerchantID)
	return answer(twoFactorStatus{true, int(left)}, err)
}

func (a *app) setupTwoFactor(ctx context.Context, m db.Merchant, _ *none) (*out[twoFactorSetup], error) {
	email, err := a.Box.Unseal(m.EmailSealed, emailPlace(m.MerchantID))
	if err != nil {
		return nil, err
	}
	key, uri, err := account.NewTOTP(string(email))
	if err != nil {
		return nil, err
	}
	image, err := qr.DataURL(uri)
	if err != nil {
		return nil, err
	}
	result := twoFactorSetup{Secret: key, QRCode: image, BackupCodes: account.NewBackupCodes()}
	return answer(result, a.offerTwoFactor(ctx, m, result))
}

// offerTwoFactor stores what the merchant is shown, in place of an earlier
// offer that was not taken up.
func (a *app) offerTwoFactor(ctx context.Context, m db.Merchant, offer twoFactorSetup) error {
	merchantID := m.MerchantID
	sealed, err := a.Box.Seal([]byte(offer.Secret), totpPlace(merchantID))
	if err != nil {
		return err
	}
	codes := db.PutBackupCodesParams{MerchantID: merchantID}
	for _, c := range offer.BackupCodes {
		codes.CodeHashes = append(codes.CodeHashes, account.HashBackupCode(merchantID, c))
	}
	return a.change(ctx, m, func(q *db.Queries) error {
		n, err := q.OfferTwoFactor(ctx, db.OfferTwoFactorParams{MerchantID: merchantID, SecretSealed: sealed})
		if err != nil {
			return err
		}
		if n == 0 {
			return badRequest("two-factor authentication is enabled already")
		}
		if err := q.DropBackupCodes(ctx, merchantID); err != nil {
			return err
		}
		return q.PutBackupCodes(ctx, codes)
	})
}

func (a *app) verifyTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body body[codeInput] }) (*out[twoFactorEnabled], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	switch {
	case m.TotpEnabledAt != nil:
		return nil, badRequest("two-factor authentication is enabled already")
	case m.TotpSecretSealed == nil:
		return nil, badRequest("two-factor authentication was not set up")
	}
	err = a.confirmCode(ctx, m, "code", factor{totp: fields.Code}, func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		n, err := q.EnableTwoFactor(ctx, db.EnableTwoFactorParams{MerchantID: m.MerchantID, Now: a.Clock()})
		if err != nil {
			return err
		}
		if n == 0 {
			return badRequest("two-factor authentication is enabled already")
		}
		session := sessionOf(ctx)
		if err := q.EndOtherSessions(ctx, db.EndOtherSessionsParams{
			ID: session.ID, MerchantID: m.MerchantID, ExpiresAt: session.ExpiresAt(),
		}); err != nil {
			return err
		}
		return a.notices.Enqueue(ctx, q, m, notice.TwoFactorOn, nil)
	})
	return answer(twoFactorEnabled{true}, err)
}

func (a *app) disableTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body body[disableInput] }) (*out[okAnswer], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	if m.TotpEnabledAt == nil {
		return nil, badRequest("two-factor authentication is not enabled")
	}
	f := factor{backup: fields.Code}
	if account.LooksLikeTOTP(fields.Code) {
		f = factor{totp: fields.Code}
	}
	err = a.confirmCode(ctx, m, "code", f, func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		if _, err := q.DisableTwoFactor(ctx, m.MerchantID); err != nil {
			return err
		}
		if err := q.DropBackupCodes(ctx, m.MerchantID); err != nil {
			return err
		}
		return a.notices.Enqueue(ctx, q, m, notice.TwoFactorOff, nil)
	})
	return answer(okAnswer{true}, err)
}

// guarded runs a change of the account that needs a code while two-factor
// authentication is on; the change happens together with the code's use. It
// gets the merchant's row, which is held meanwhile.
func (a *app) guarded(ctx context.Context, m db.Merchant, code *string, change func(q *db.Queries, held db.Merchant) error) error {
	onHeld := func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, m.MerchantID)
		if err != nil {
			return noSession(err)
		}
		if m.TotpEnabledAt == nil && held.TotpEnabledAt != nil {
			return badRequest("totp_code is required") // enabled meanwhile
		}
		if err := stillIn(m, held); err != nil {
			return err
		}
		return change(q, held)
	}
	if m.TotpEnabledAt == nil {
		return a.Store.Tx(ctx, onHeld)
	}
	return a.confirmCode(ctx, m, "totp_code", factor{totp: textOr(code)}, onHeld)
}
