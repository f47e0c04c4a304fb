package merchant

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// keyPrefix is what of a key is kept in the clear, to tell keys apart.
func keyPrefix(key string) string { return key[:len(secret.LiveKeyPrefix)+4] }

// putKey gives a merchant a key of a mode; the one before is invalid at once.
func putKey(ctx context.Context, q *db.Queries, merchantID string, mode config.Mode, key string, now time.Time) error {
	return q.PutAPIKey(ctx, db.PutAPIKeyParams{
		MerchantID: merchantID, Mode: string(mode), KeyHash: secret.HashAPIKey(key), Prefix: keyPrefix(key),
		CreatedAt: now,
	})
}
