package access

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// KeyPrefix returns the part of a key that is stored unencrypted, so that people can distinguish
// keys. The prefixes of application keys are as long as those of the contract's keys.
func KeyPrefix(key string) string { return key[:len(secret.LiveKeyPrefix)+4] }

// PutKey sets a merchant's key of a mode. The former key is invalid at once.
func PutKey(ctx context.Context, q *db.Queries, merchantID string, mode config.Mode, key string, now time.Time) error {
	return q.PutAPIKey(ctx, db.PutAPIKeyParams{
		MerchantID: merchantID, Mode: string(mode), KeyHash: secret.HashAPIKey(key), Prefix: KeyPrefix(key),
		CreatedAt: now,
	})
}
