package auth

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// KeyPrefix is what of a key is kept in the clear, to tell keys apart. Keys of
// applications have prefixes as long as those of the contract.
func KeyPrefix(key string) string { return key[:len(secret.LiveKeyPrefix)+4] }

// PutKey gives a merchant a key of a mode; the one before is invalid at once.
func PutKey(ctx context.Context, q *db.Queries, merchantID string, mode config.Mode, key string, now time.Time) error {
	return q.PutAPIKey(ctx, db.PutAPIKeyParams{
		MerchantID: merchantID, Mode: string(mode), KeyHash: secret.HashAPIKey(key), Prefix: KeyPrefix(key),
		CreatedAt: now,
	})
}
