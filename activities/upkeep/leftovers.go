package upkeep

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// shortLived is how long traces of limits and blocks are kept: longer than any window or
// block lasts.
const shortLived = 24 * time.Hour

// leftovers returns the steps for rows that are never read once they are old enough.
func (a *Retention) leftovers() []step { return append(a.records(), a.traces()...) }

// records returns the steps for webhooks, accounts and keys.
func (a *Retention) records() []step {
	return []step{
		// After the deliveries, which name their webhook.
		{"webhooks", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneWebhooks(ctx, db.PruneWebhooksParams{Before: &before, Batch: pruneBatch})
		})},
		// A reader that began while the account existed is done by then.
		{"feeds", shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneEventFeeds(ctx, db.PruneEventFeedsParams{Before: before, Batch: pruneBatch})
		})},
		{"unverified accounts", 0, a.releaseUnverified},
		{"unused keys", a.UnusedKeys, a.pruneKeys},
		{"revoked keys", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneScopedKeys(ctx, db.PruneScopedKeysParams{Before: before, Batch: pruneBatch})
		})},
		{"invites", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneInvites(ctx, db.PruneInvitesParams{Before: before, Batch: pruneBatch})
		})},
	}
}

// traces returns the steps for the traces of requests, logins and mails.
func (a *Retention) traces() []step {
	return []step{
		// The longest window is a day, and the previous window still counts.
		{"rate counts", 2 * shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneOldRateCounts(ctx, db.PruneOldRateCountsParams{Before: before, Batch: pruneBatch})
		})},
		{"blocked addresses", shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneIPFailures(ctx, db.PruneIPFailuresParams{Before: before, Batch: pruneBatch})
		})},
		{"failed logins", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneLoginFailures(ctx, db.PruneLoginFailuresParams{Before: before, Batch: pruneBatch})
		})},
		// They are valid for a day; the second day is for a request that is still running.
		{"idempotency keys", 2 * shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneIdempotencyKeys(ctx, db.PruneIdempotencyKeysParams{Before: before, Batch: pruneBatch})
		})},
		{"swaps", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneSwaps(ctx, db.PruneSwapsParams{Before: before, AlertKind: alert.SwapUnclear, Batch: pruneBatch})
		})},
		{"orders of swaps", a.Records, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneSwapOrders(ctx, db.PruneSwapOrdersParams{Before: before, Batch: pruneBatch})
		})},
		{"marks of sessions", 0, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneSessions(ctx, db.PruneSessionsParams{Before: before, Batch: pruneBatch})
		})},
		{"sent forms", 0, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneSentForms(ctx, db.PruneSentFormsParams{Before: before, Batch: pruneBatch})
		})},
		// Mails are retried for a day.
		{"notices", 2 * shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneAccountNotices(ctx, db.PruneAccountNoticesParams{Before: before, Batch: pruneBatch})
		})},
		// A digest may come after a long time without a worker or a mail server.
		{"business notices", notice.BusinessKept, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneBusinessNotices(ctx, db.PruneBusinessNoticesParams{Before: before, Batch: pruneBatch})
		})},
		{"mails of notices", notice.BusinessKept, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneNoticeMails(ctx, db.PruneNoticeMailsParams{Before: before, Batch: pruneBatch})
		})},
		{"networks of logins", notice.NetworkLife, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneLoginNetworks(ctx, db.PruneLoginNetworksParams{Before: before, Batch: pruneBatch})
		})},
		// Kept past their end, because they count for an hour.
		{"links for passwords", shortLived, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PrunePasswordResets(ctx, db.PrunePasswordResetsParams{Before: before, Batch: pruneBatch})
		})},
		{"links of mails", 0, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneEmailVerifications(ctx, db.PruneEmailVerificationsParams{Before: before, Batch: pruneBatch})
		})},
	}
}

// ofStaff returns the steps for rows about people who work in shops.
func (a *Retention) ofStaff() []step {
	return []step{
		{"invites of staff", 0, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneStaffInvites(ctx, db.PruneStaffInvitesParams{Before: before, Batch: pruneBatch})
		})},
		{"actions of people", permission.ActionsKept, leftover(func(ctx context.Context, before time.Time) (int64, error) {
			return a.Store.PruneActions(ctx, db.PruneActionsParams{Before: before, Batch: pruneBatch})
		})},
	}
}

// leftover returns the batch of a step that removes all rows it finds. Rows that the last
// batch found are gone, so it needs no position.
func leftover(remove func(ctx context.Context, before time.Time) (int64, error)) func(context.Context, time.Time, Position) (int, Position, error) {
	return func(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
		n, err := remove(ctx, before)
		return int(n), Position{}, err
	}
}

// pruneKeys removes unused affiliate keys: anyone can get a key, and each could be kept
// for ever.
func (a *Retention) pruneKeys(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	if a.UnusedKeys == 0 {
		return 0, Position{}, nil
	}
	n, err := a.Store.PruneSwapKeys(ctx, db.PruneSwapKeysParams{Before: before, Batch: pruneBatch})
	return int(n), Position{}, err
}

// releaseUnverified ends accounts whose address was not confirmed in time. Anyone can
// open an account with any address, so the address must become free for its owner. An
// account that has any data of its own stays.
func (a *Retention) releaseUnverified(ctx context.Context, before time.Time, _ Position) (int, Position, error) {
	if !a.VerifyEmail {
		return 0, Position{}, nil
	}
	found, err := a.Store.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	for _, m := range found {
		if err := a.release(ctx, m.MerchantID, before); err != nil {
			return 0, Position{}, err
		}
	}
	return len(found), Position{}, nil
}

// release ends one account. It locks the account's row, so that nothing can be added
// meanwhile. Then it checks the account once more, to see additions that came before the
// lock.
func (a *Retention) release(ctx context.Context, merchantID string, now time.Time) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		_, err := q.LockMerchantForDeletion(ctx, merchantID)
		if postgres.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		still, err := q.UnverifiedAccounts(ctx, db.UnverifiedAccountsParams{Before: now, MerchantID: merchantID, Batch: 1})
		if err != nil || len(still) == 0 {
			return err
		}
		for _, drop := range []func(context.Context, string) error{q.DropAPIKeys, q.DropBackupCodes, q.DropEmailVerification} {
			if err := drop(ctx, merchantID); err != nil {
				return err
			}
		}
		if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: merchantID, Now: now, AccountEnds: true}); err != nil {
			return err
		}
		if err := q.ClearLoginFailures(ctx, still[0].EmailIndex); err != nil {
			return err
		}
		return q.EraseMerchant(ctx, db.EraseMerchantParams{MerchantID: merchantID, Now: now})
	})
}
