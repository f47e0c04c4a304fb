package rekey_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rekey"
	"github.com/durapay/durapay/internal/secret"
)

func TestRotationLeavesNothingUnderTheOldKey(t *testing.T) {
	t.Parallel()
	ctx, file, store := t.Context(), t.TempDir()+"/keyset.json", pgtest.New(t)
	require.NoError(t, secret.NewKeysetFile(file))
	box, err := secret.Open(file)
	require.NoError(t, err)
	require.NoError(t, store.UpsertWallet(ctx, db.UpsertWalletParams{ID: "w", Mode: "live", PrimaryAddress: "p"}))
	merchant, hook := secret.NewMerchantID(), secret.NewID("wh_")
	email, err := box.Seal([]byte("shop@example.com"), secret.AD{Table: "merchants", Column: "email", ID: merchant})
	require.NoError(t, err)
	_, err = store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: email, EmailIndex: []byte{1}, BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: "w", SandboxWalletID: "w",
	})
	require.NoError(t, err)
	key, err := box.Seal([]byte("secret"), secret.AD{Table: "webhooks", Column: "secret", ID: hook})
	require.NoError(t, err)
	_, err = store.InsertWebhook(ctx, db.InsertWebhookParams{
		ID: hook, MerchantID: merchant, Url: "https://shop.example", Events: []string{"charge.confirmed"}, SecretSealed: key, CreatedAt: time.Now(),
	})
	require.NoError(t, err)
	payout := secret.NewID("po_")
	address, err := box.Seal([]byte("address"), secret.AD{Table: "payouts", Column: "address", ID: payout})
	require.NoError(t, err)
	require.NoError(t, store.InsertPayout(ctx, db.InsertPayoutParams{
		ID: payout, MerchantID: merchant, WalletID: "w", AddressSealed: address, AddressMasked: "a", Gross: 1, ChargesPaid: 1, Outputs: 1, CreatedAt: time.Now(),
	}))
	swapTo, err := box.Seal([]byte("swap address"), secret.AD{Table: "payouts", Column: "swap_address", ID: payout})
	require.NoError(t, err)
	_, err = store.Pool().Exec(ctx, "UPDATE payouts SET swap_ticker = 'ltc', swap_network = 'Mainnet', swap_address_sealed = $1", swapTo)
	require.NoError(t, err)
	txKey, err := box.Seal([]byte("tx key"), secret.ProofPlace(7))
	require.NoError(t, err)
	_, err = store.Pool().Exec(ctx, `INSERT INTO outgoing_transactions (id, wallet_id, purpose, payout_id, state, seq, tx_hash, raw, inputs, paid, fee,
		created_at, built_at, proof_sealed) VALUES (7, 'w', 'payout', $1, 'built', 1, 'h', '', '{}', 1, 0, now(), now(), $2)`, payout, txKey)
	require.NoError(t, err)
	autoSwap, err := box.Seal([]byte("auto-swap address"), secret.AD{Table: "merchants", Column: "auto_swap_address", ID: merchant})
	require.NoError(t, err)
	ticker, network, masked := "ltc", "Mainnet", "a"
	_, err = store.SetAutoSwap(ctx, db.SetAutoSwapParams{
		MerchantID: merchant, Ticker: &ticker, Network: &network, AddressSealed: autoSwap, AddressMasked: &masked,
	})
	require.NoError(t, err)

	totp, err := box.Seal([]byte("totp secret"), secret.AD{Table: "merchants", Column: "totp_secret", ID: merchant})
	require.NoError(t, err)
	_, err = store.OfferTwoFactor(ctx, db.OfferTwoFactorParams{MerchantID: merchant, SecretSealed: totp})
	require.NoError(t, err)
	verification := secret.NewID("em_")
	unconfirmed, err := box.Seal([]byte("new@example.com"), secret.AD{Table: "email_verifications", Column: "email", ID: verification})
	require.NoError(t, err)
	token, err := box.Seal([]byte("token"), secret.AD{Table: "email_verifications", Column: "token", ID: verification})
	require.NoError(t, err)
	require.NoError(t, store.PutEmailVerification(ctx, db.PutEmailVerificationParams{
		ID: verification, MerchantID: merchant, EmailSealed: unconfirmed, TokenHash: []byte{1}, TokenSealed: token,
		CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	}))
	told, reset := secret.NewID("an_"), secret.NewID("rs_")
	tellTo, err := box.Seal([]byte("old@example.com"), secret.NoticePlace(told))
	require.NoError(t, err)
	require.NoError(t, store.PutAccountNotice(ctx, db.PutAccountNoticeParams{
		ID: told, MerchantID: merchant, Kind: string(notice.Email), EmailSealed: tellTo, CreatedAt: time.Now(),
	}))
	resetToken, err := box.Seal([]byte("reset token"), secret.ResetPlace(reset))
	require.NoError(t, err)
	require.NoError(t, store.PutPasswordReset(ctx, db.PutPasswordResetParams{
		ID: reset, EmailIndex: []byte{1}, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	}))
	require.NoError(t, store.OpenPasswordReset(ctx, db.OpenPasswordResetParams{
		ID: reset, MerchantID: &merchant, TokenHash: []byte{2}, TokenSealed: resetToken,
	}))

	n, err := rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Zero(t, n, "nothing was rotated yet")
	require.NoError(t, secret.Rotate(file))
	require.NoError(t, box.Reload())
	n, err = rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Equal(t, 11, n, "email, TOTP secret, auto-swap address, webhook secret, the addresses of a payout, transaction key, "+
		"unconfirmed email and its token, address of a notice, token of a reset")
	n, err = rekey.All(ctx, store, box)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = secret.DropOldKeys(file)
	require.NoError(t, err)

	fresh, err := secret.Open(file)
	require.NoError(t, err)
	m, err := store.GetMerchant(ctx, merchant)
	require.NoError(t, err)
	plain, err := fresh.Unseal(m.EmailSealed, secret.AD{Table: "merchants", Column: "email", ID: merchant})
	require.NoError(t, err)
	require.Equal(t, "shop@example.com", string(plain))
	p, err := store.GetPayout(ctx, payout)
	require.NoError(t, err)
	tx, err := store.OutgoingOfPayout(ctx, payout)
	require.NoError(t, err)
	plain, err = fresh.Unseal(tx.ProofSealed, secret.ProofPlace(7))
	require.NoError(t, err)
	require.Equal(t, "tx key", string(plain))
	plain, err = fresh.Unseal(p.SwapAddressSealed, secret.AD{Table: "payouts", Column: "swap_address", ID: payout})
	require.NoError(t, err)
	require.Equal(t, "swap address", string(plain))
	plain, err = fresh.Unseal(m.AutoSwapAddressSealed, secret.AD{Table: "merchants", Column: "auto_swap_address", ID: merchant})
	require.NoError(t, err)
	require.Equal(t, "auto-swap address", string(plain))
	plain, err = fresh.Unseal(m.TotpSecretSealed, secret.AD{Table: "merchants", Column: "totp_secret", ID: merchant})
	require.NoError(t, err)
	require.Equal(t, "totp secret", string(plain))
	v, err := store.GetEmailVerification(ctx, verification)
	require.NoError(t, err)
	plain, err = fresh.Unseal(v.TokenSealed, secret.AD{Table: "email_verifications", Column: "token", ID: verification})
	require.NoError(t, err)
	require.Equal(t, "token", string(plain))
	row, err := store.GetAccountNotice(ctx, told)
	require.NoError(t, err)
	plain, err = fresh.Unseal(row.EmailSealed, secret.NoticePlace(told))
	require.NoError(t, err)
	require.Equal(t, "old@example.com", string(plain))
	r, err := store.GetPasswordReset(ctx, reset)
	require.NoError(t, err)
	plain, err = fresh.Unseal(r.TokenSealed, secret.ResetPlace(reset))
	require.NoError(t, err)
	require.Equal(t, "reset token", string(plain))
}
