// Package rekey moves every sealed column to the newest key of the keyset,
// so that older keys can be dropped. It works in short batches beside running
// services: a row is only replaced by the same value under another key.
package rekey

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// batch is how many rows are read at a time.
const batch = 200

// All rekeys what is not under the primary key and returns how many values
// that were. A second run finds nothing left to do.
func All(ctx context.Context, store *postgres.Store, box *secret.Box) (int, error) {
	total := 0
	for _, table := range []func(context.Context, *db.Queries, *secret.Box, string) (int, string, error){
		merchants, webhooks, payouts, emailVerifications, accountNotices, passwordResets, swapKeys, trades, tradeDeposits, outgoing, responses, swaps,
	} {
		for after := ""; ; {
			n, last := 0, ""
			err := store.Tx(ctx, func(q *db.Queries) (err error) {
				n, last, err = table(ctx, q, box, after)
				return err
			})
			if err != nil {
				return total, fmt.Errorf("rekey: %w", err)
			}
			if total += n; last == "" {
				break
			}
			after = last
		}
	}
	return total, nil
}

// again returns the value under the primary key and whether that changed it.
// A missing value stays missing.
func again(box *secret.Box, sealed []byte, ad secret.AD) (fresh []byte, changed int, err error) {
	if sealed == nil || !box.NeedsRekey(sealed, ad) {
		return sealed, 0, nil
	}
	plain, err := box.Unseal(sealed, ad)
	if err != nil {
		return nil, 0, fmt.Errorf("%s.%s of %s: %w", ad.Table, ad.Column, ad.ID, err)
	}
	fresh, err = box.Seal(plain, ad)
	return fresh, 1, err
}

func merchants(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.MerchantsAfter(ctx, db.MerchantsAfterParams{MerchantID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		email, a, err := again(box, r.EmailSealed, secret.EmailPlace(r.MerchantID))
		if err != nil {
			return 0, "", err
		}
		address, b, err := again(box, r.PayoutAddressSealed, secret.PayoutPlace(r.MerchantID))
		if err != nil {
			return 0, "", err
		}
		totp, c, err := again(box, r.TotpSecretSealed, secret.TOTPPlace(r.MerchantID))
		if err != nil {
			return 0, "", err
		}
		swapTo, d, err := again(box, r.AutoSwapAddressSealed, secret.AutoSwapPlace(r.MerchantID))
		if err != nil {
			return 0, "", err
		}
		if a+b+c+d > 0 {
			if err := q.RekeyMerchant(ctx, db.RekeyMerchantParams{
				MerchantID: r.MerchantID, EmailSealed: email, PayoutAddressSealed: address, TotpSecretSealed: totp,
				AutoSwapAddressSealed: swapTo,
			}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+a+b+c+d, r.MerchantID
	}
	return n, last, nil
}

func webhooks(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.WebhooksAfter(ctx, db.WebhooksAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		key, changed, err := again(box, r.SecretSealed, secret.WebhookPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if changed > 0 {
			if err := q.RekeyWebhook(ctx, db.RekeyWebhookParams{ID: r.ID, SecretSealed: key}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+changed, r.ID
	}
	return n, last, nil
}

func payouts(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.PayoutsAfter(ctx, db.PayoutsAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		address, a, err := again(box, r.AddressSealed, secret.SweepAddressPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		swapTo, b, err := again(box, r.SwapAddressSealed, secret.SweepSwapPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if a+b > 0 {
			if err := q.RekeyPayout(ctx, db.RekeyPayoutParams{
				ID: r.ID, AddressSealed: address, SwapAddressSealed: swapTo,
			}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+a+b, r.ID
	}
	return n, last, nil
}

func emailVerifications(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.EmailVerificationsAfter(ctx, db.EmailVerificationsAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		email, a, err := again(box, r.EmailSealed, secret.VerificationEmailPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		token, b, err := again(box, r.TokenSealed, secret.VerificationTokenPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if a+b > 0 {
			if err := q.RekeyEmailVerification(ctx, db.RekeyEmailVerificationParams{ID: r.ID, EmailSealed: email, TokenSealed: token}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+a+b, r.ID
	}
	return n, last, nil
}
