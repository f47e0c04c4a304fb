package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// TwoFactor answers requests about second factors.
type TwoFactor struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm access.Asker
	Notices notice.Notices
	Clock   func() time.Time
}

// Register registers the second factor and the step-up.
func (h *TwoFactor) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "stepUp", At: "POST /api/auth/step-up"}, h.stepUp)
	operation.WithSession(api, operation.Route{ID: "getTwoFactor", At: "GET /api/auth/2fa/status"}, h.twoFactorStatus)
	operation.WithSession(api, operation.Route{ID: "setupTwoFactor", At: "POST /api/auth/2fa/setup", Confirmed: true, Recent: true}, h.setupTwoFactor)
	operation.WithSession(api, operation.Route{ID: "verifyTwoFactor", At: "POST /api/auth/2fa/verify", Confirmed: true, Recent: true}, h.verifyTwoFactor)
	operation.WithSession(api, operation.Route{ID: "disableTwoFactor", At: "POST /api/auth/2fa/disable"}, h.disableTwoFactor)
}

type twoFactorStatus struct {
	Enabled              bool `json:"enabled" doc:"Whether a login needs a second factor"`
	BackupCodesRemaining int  `json:"backupCodesLeft" doc:"Backup codes that were not used yet; 0 while it is off" example:"10"`
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

func (h *TwoFactor) twoFactorStatus(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[twoFactorStatus], error) {
	if m.TotpEnabledAt == nil {
		return httpapi.With(twoFactorStatus{}, nil)
	}
	remaining, err := h.Store.CountBackupCodes(ctx, m.MerchantID)
	return httpapi.With(twoFactorStatus{true, int(remaining)}, err)
}

func (h *TwoFactor) setupTwoFactor(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[twoFactorSetup], error) {
	email, err := h.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	key, uri, err := account.NewTOTP(string(email))
	if err != nil {
		return nil, err
	}
	image, err := web.QRDataURL(uri)
	if err != nil {
		return nil, err
	}
	result := twoFactorSetup{Secret: key, QRCode: image, BackupCodes: account.NewBackupCodes()}
	return httpapi.With(result, h.offerTwoFactor(ctx, m, result))
}

// offerTwoFactor stores the secret and the backup codes that the merchant is shown. They replace
// an earlier offer that was not verified.
func (h *TwoFactor) offerTwoFactor(ctx context.Context, m db.Merchant, offer twoFactorSetup) error {
	merchantID := m.MerchantID
	sealed, err := h.Box.Seal([]byte(offer.Secret), secret.TOTPPlace.Of(merchantID))
	if err != nil {
		return err
	}
	codes := db.PutBackupCodesParams{MerchantID: merchantID}
	for _, c := range offer.BackupCodes {
		codes.CodeHashes = append(codes.CodeHashes, account.HashBackupCode(merchantID, c))
	}
	return access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.OfferTwoFactor(ctx, db.OfferTwoFactorParams{MerchantID: merchantID, SecretSealed: sealed})
		if err != nil {
			return err
		}
		if n == 0 {
			return httpapi.BadRequest("two-factor authentication is enabled already")
		}
		if err := q.DropBackupCodes(ctx, merchantID); err != nil {
			return err
		}
		return q.PutBackupCodes(ctx, codes)
	})
}

func (h *TwoFactor) verifyTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[codeInput] }) (*httpapi.Out[twoFactorEnabled], error) {
	fields := in.Body.Value()
	switch {
	case m.TotpEnabledAt != nil:
		return nil, httpapi.BadRequest("two-factor authentication is enabled already")
	case m.TotpSecretSealed == nil:
		return nil, httpapi.BadRequest("two-factor authentication was not set up")
	}
	err := h.Confirm.Code(ctx, m, "code", access.Factor{TOTP: fields.Code}, func(q *db.Queries) error {
		if err := access.HoldFor(ctx, q, m); err != nil {
			return err
		}
		n, err := q.EnableTwoFactor(ctx, db.EnableTwoFactorParams{MerchantID: m.MerchantID, Now: h.Clock()})
		if err != nil {
			return err
		}
		if n == 0 {
			return httpapi.BadRequest("two-factor authentication is enabled already")
		}
		session := access.SessionOf(ctx)
		if err := q.EndOtherSessions(ctx, db.EndOtherSessionsParams{
			ID: session.ID, MerchantID: m.MerchantID, ExpiresAt: session.ExpiresAt(),
		}); err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, m, notice.TwoFactorOn, nil)
	})
	return httpapi.With(twoFactorEnabled{true}, err)
}

func (h *TwoFactor) disableTwoFactor(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[disableInput] }) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	if m.TotpEnabledAt == nil {
		return nil, httpapi.BadRequest("two-factor authentication is not enabled")
	}
	f := access.Factor{Backup: fields.Code}
	if account.LooksLikeTOTP(fields.Code) {
		f = access.Factor{TOTP: fields.Code}
	}
	err := h.Confirm.Code(ctx, m, "code", f, func(q *db.Queries) error {
		if err := access.HoldFor(ctx, q, m); err != nil {
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
	return httpapi.Done(err)
}

type proof struct {
	Password *string `json:"password,omitempty" doc:"The password of the account; either this or totp_code" example:"correct horse battery staple"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits, with two-factor authentication on; either this or password" example:"123456"`
}

type steppedUp struct {
	OK    bool      `json:"ok" doc:"Always true"`
	Until wire.Time `json:"until" doc:"Until when the session may make changes that ask for the password: 10 minutes from now"`
}

func (h *TwoFactor) stepUp(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[proof] }) (*httpapi.Out[steppedUp], error) {
	fields := in.Body.Value()
	var err error
	session, until := access.SessionOf(ctx), h.Clock().Add(account.StepUpLife).UTC().Truncate(time.Millisecond)
	mark := func(q *db.Queries) error {
		if err := access.HoldFor(ctx, q, m); err != nil {
			return err
		}
		return q.ConfirmSession(ctx, db.ConfirmSessionParams{
			ID: session.ID, MerchantID: m.MerchantID, ConfirmedUntil: until, ExpiresAt: session.ExpiresAt(),
		})
	}
	switch {
	case (fields.Password != nil) == (fields.TOTPCode != nil):
		return nil, httpapi.BadRequest("either password or totp_code is required")
	case fields.Password != nil:
		if err = h.Confirm.Password(ctx, m, "password", *fields.Password); err == nil {
			err = h.Store.Tx(ctx, mark)
		}
	case m.TotpEnabledAt == nil:
		return nil, httpapi.BadRequest("two-factor authentication is off: send the password")
	default:
		err = h.Confirm.Code(ctx, m, "totp_code", access.Factor{TOTP: *fields.TOTPCode}, mark)
	}
	return httpapi.With(steppedUp{true, wire.TimeOf(until)}, err)
}
