package operator_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func TestRotationLeavesNothingUnderTheOldKey(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), newRotation(t)
	require.NoError(t, r.store.UpsertWallet(ctx, db.UpsertWalletParams{ID: "w", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "p"}))
	merchant, hook, payout := secret.NewMerchantID(), secret.NewID("wh_"), secret.NewID("po_")
	ofMerchant := func(column string) secret.AD { return secret.AD{Table: "merchants", Column: column, ID: merchant} }
	ofPayout := func(column string) secret.AD { return secret.AD{Table: "payouts", Column: column, ID: payout} }
	_, err := r.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: r.seal(t, "shop@example.com", ofMerchant("email")), EmailIndex: []byte{1}, BusinessName: "Shop",
		PasswordHash: "x", LiveWalletID: "w", SandboxWalletID: "w",
	})
	require.NoError(t, err)
	_, err = r.store.InsertWebhook(ctx, db.InsertWebhookParams{
		Dialect: "durapay", Mode: "live", Retries: "short", Enabled: true,
		ID: hook, MerchantID: merchant, Url: "https://shop.example", Events: []string{"charge.confirmed"},
		SecretSealed: r.seal(t, "secret", secret.AD{Table: "webhooks", Column: "secret", ID: hook}), CreatedAt: time.Now(),
	})
	require.NoError(t, err)
	require.NoError(t, r.store.InsertPayout(ctx, db.InsertPayoutParams{
		ID: payout, MerchantID: merchant, WalletID: "w", AddressSealed: r.seal(t, "address", ofPayout("address")), AddressMasked: "a",
		Gross: 1, ChargesPaid: 1, Outputs: 1, CreatedAt: time.Now(),
	}))
	r.exec(t, "UPDATE payouts SET swap_ticker = 'ltc', swap_network = 'Mainnet', swap_address_sealed = $1",
		r.seal(t, "swap address", ofPayout("swap_address")))
	r.exec(t, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, payments, paid, fee,
		created_at, built_at, proof_sealed) VALUES (7, 'w', 'payout', $1, 'built', 1, 'h', '', '{}', '{}', 1, 0, now(), now(), $2)`,
		payout, r.seal(t, "tx key", secret.ProofPlace(7)))
	ticker, network, masked := "ltc", "Mainnet", "a"
	_, err = r.store.SetAutoSwap(ctx, db.SetAutoSwapParams{
		MerchantID: merchant, Ticker: &ticker, Network: &network,
		AddressSealed: r.seal(t, "auto-swap address", ofMerchant("auto_swap_address")), AddressMasked: &masked,
	})
	require.NoError(t, err)
	_, err = r.store.OfferTwoFactor(ctx, db.OfferTwoFactorParams{
		MerchantID: merchant, SecretSealed: r.seal(t, "totp secret", ofMerchant("totp_secret")),
	})
	require.NoError(t, err)
	verification, noticeID, reset := secret.NewID("em_"), secret.NewID("an_"), secret.NewID("rs_")
	ofVerification := func(column string) secret.AD {
		return secret.AD{Table: "email_verifications", Column: column, ID: verification}
	}
	require.NoError(t, r.store.PutEmailVerification(ctx, db.PutEmailVerificationParams{
		ID: verification, MerchantID: merchant, EmailSealed: r.seal(t, "new@example.com", ofVerification("email")), TokenHash: []byte{1},
		TokenSealed: r.seal(t, "token", ofVerification("token")), CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	}))
	require.NoError(t, r.store.PutAccountNotice(ctx, db.PutAccountNoticeParams{
		ID: noticeID, MerchantID: merchant, Kind: string(notice.Email), EmailSealed: r.seal(t, "old@example.com", secret.NoticePlace.Of(noticeID)), CreatedAt: time.Now(),
	}))
	require.NoError(t, r.store.PutPasswordReset(ctx, db.PutPasswordResetParams{
		ID: reset, EmailIndex: []byte{1}, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	}))
	require.NoError(t, r.store.OpenPasswordReset(ctx, db.OpenPasswordResetParams{
		ID: reset, MerchantID: &merchant, TokenHash: []byte{2}, TokenSealed: r.seal(t, "reset token", secret.ResetPlace.Of(reset)),
	}))

	n, err := operator.Rekey(ctx, r.store, r.box)
	require.NoError(t, err)
	require.Zero(t, n, "nothing was rotated yet")
	now := r.rotate(t, 11, "email, TOTP secret, auto-swap address, webhook secret, the addresses of a payout, transaction key, "+
		"unconfirmed email and its token, address of a notice, token of a reset")

	m, err := r.store.GetMerchant(ctx, merchant)
	require.NoError(t, err)
	now.requireOpens(t, "shop@example.com", m.EmailSealed, ofMerchant("email"))
	now.requireOpens(t, "auto-swap address", m.AutoSwapAddressSealed, ofMerchant("auto_swap_address"))
	now.requireOpens(t, "totp secret", m.TotpSecretSealed, ofMerchant("totp_secret"))
	p, err := r.store.GetPayout(ctx, payout)
	require.NoError(t, err)
	now.requireOpens(t, "swap address", p.SwapAddressSealed, ofPayout("swap_address"))
	tx, err := r.store.OutgoingOfPayout(ctx, payout)
	require.NoError(t, err)
	now.requireOpens(t, "tx key", tx.ProofSealed, secret.ProofPlace(7))
	v, err := r.store.GetEmailVerification(ctx, verification)
	require.NoError(t, err)
	now.requireOpens(t, "token", v.TokenSealed, ofVerification("token"))
	row, err := r.store.GetAccountNotice(ctx, noticeID)
	require.NoError(t, err)
	now.requireOpens(t, "old@example.com", row.EmailSealed, secret.NoticePlace.Of(noticeID))
	link, err := r.store.GetPasswordReset(ctx, reset)
	require.NoError(t, err)
	now.requireOpens(t, "reset token", link.TokenSealed, secret.ResetPlace.Of(reset))
}
