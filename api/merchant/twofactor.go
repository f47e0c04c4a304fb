package merchant

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/qr"
	"github.com/durapay/durapay/internal/secret"
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

// registerTwoFactor adds the second factor of logins.
func (h *twoFactorRoom) registerTwoFactor(api operations) {
	withSession(api, route{
		id: "getTwoFactor", method: http.MethodGet, path: "/api/auth/2fa/status", tag: tagAuth,
		summary: "Get the state of two-factor authentication", text: "And how many backup codes are left.",
		response: twoFactorStatus{true, 10},
	}, h.twoFactorStatus)
	withSession(api, route{
		id: "setupTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/setup", tag: tagAuth, recent: true,
		summary: "Begin two-factor authentication",
		text: "Returns a TOTP secret and backup codes; a login needs them once a code was verified. Again before that, it " +
			"replaces both; once it is enabled it answers 400.",
		errors:   []int{http.StatusBadRequest},
		response: exampleTwoFactor(),
	}, h.setupTwoFactor)
	withSession(api, route{
		id: "verifyTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/verify", tag: tagAuth, recent: true,
		summary: "Enable two-factor authentication",
		text:    "With a current code, which is used up by this. Every other session ends; this one goes on.",
		errors:  []int{http.StatusLocked},
		request: codeInput{"123456"}, response: twoFactorEnabled{true},
	}, h.verifyTwoFactor)
	withSession(api, route{
		id: "disableTwoFactor", method: http.MethodPost, path: "/api/auth/2fa/disable", tag: tagAuth,
		summary: "Disable two-factor authentication",
		text:    "With a current code, or a backup code when the authenticator is lost. The remaining backup codes are void.",
		errors:  []int{http.StatusLocked},
		request: disableInput{"123456"}, response: okAnswer{OK: true},
	}, h.disableTwoFactor)
}

func (h *twoFactorRoom) twoFactorStatus(ctx context.Context, m db.Merchant, _ *none) (*out[twoFactorStatus], error) {
	if m.TotpEnabledAt == nil {
		return answer(twoFactorStatus{}, nil)
	}
	left, err := h.Store.CountBackupCodes(ctx, m.MerchantID)
	return answer(twoFactorStatus{true, int(left)}, err)
}

func (h *twoFactorRoom) setupTwoFactor(ctx context.Context, m db.Merchant, _ *none) (*out[twoFactorSetup], error) {
	email, err := h.Box.Unseal(m.EmailSealed, secret.EmailPlace(m.MerchantID))
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
	return answer(result, h.offerTwoFactor(ctx, m, result))
}

// offerTwoFactor stores what the merchant is shown, in place of an earlier
// offer that was not taken up.
func (h *twoFactorRoom) offerTwoFactor(ctx context.Context, m db.Merchant, offer twoFactorSetup) error {
	merchantID := m.MerchantID
	sealed, err := h.Box.Seal([]byte(offer.Secret), secret.TOTPPlace(merchantID))
	if err != nil {
		return err
	}
	codes := db.PutBackupCodesParams{MerchantID: merchantID}
	for _, c := range offer.BackupCodes {
		codes.CodeHashes = append(codes.CodeHashes, account.HashBackupCode(merchantID, c))
	}
	return change(ctx, h.Store, m, func(q *db.Queries) error {
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

func (h *twoFactorRoom) verifyTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body body[codeInput] }) (*out[twoFactorEnabled], error) {
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
	err = h.Confirm.Code(ctx, m, "code", factor{totp: fields.Code}, func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		n, err := q.EnableTwoFactor(ctx, db.EnableTwoFactorParams{MerchantID: m.MerchantID, Now: h.Clock()})
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
		return h.Notices.Enqueue(ctx, q, m, notice.TwoFactorOn, nil)
	})
	return answer(twoFactorEnabled{true}, err)
}

func (h *twoFactorRoom) disableTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body body[disableInput] }) (*out[okAnswer], error) {
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
	err = h.Confirm.Code(ctx, m, "code", f, func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		if _, err := q.DisableTwoFactor(ctx, m.MerchantID); err != nil {
			return err
		}
		if err := q.DropBackupCodes(ctx, m.MerchantID); err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, m, notice.TwoFactorOff, nil)
	})
	return done(err)
}
