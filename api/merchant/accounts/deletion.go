package accounts

import (
	"context"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
)

type deleteAccount struct {
	Password string `json:"password" doc:"The password of the account" example:"correct horse battery staple"`
}

func (h *Settings) deleteAccount(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[deleteAccount] }) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	if err := h.Confirm.Password(ctx, m, "password", fields.Password); err != nil {
		return nil, err
	}
	err := h.Store.TxAgain(ctx, func(q *db.Queries) error {
		// Charges that are being inserted refer to this row. Locking it against them makes sure that
		// the checks below miss none.
		held, err := q.LockMerchantForDeletion(ctx, m.MerchantID)
		if err != nil {
			return access.NoSession(err)
		}
		if err := access.StillIn(m, held); err != nil {
			return err
		}
		if err := refuseOwed(ctx, q, m.MerchantID); err != nil {
			return err
		}
		if err := h.erase(ctx, q, held); err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, held, notice.Deleted, nil)
	})
	return httpapi.Done(err)
}

// refuseOwed refuses to delete an account that is still owed money or has money on its way
// (400).
func refuseOwed(ctx context.Context, q *db.Queries, merchantID string) error {
	owed, err := q.OwedToMerchant(ctx, merchantID)
	switch {
	case err != nil:
		return err
	case owed.Unpaid:
		return httpapi.BadRequest("there are confirmed charges that are not paid out: sweep them first")
	case owed.Untaken:
		return httpapi.BadRequest("there are charges that got their whole amount and were not confirmed: settle or accept them first")
	case owed.Arriving:
		return httpapi.BadRequest("payments are being confirmed: try again when they are paid out")
	case owed.Sending:
		return httpapi.BadRequest("a payout is on its way, or a refund is open: try again when it has ended")
	default:
		return nil
	}
}

// erase removes all data of an account that the books do not need.
func (h *Settings) erase(ctx context.Context, q *db.Queries, m db.Merchant) error {
	now := h.Clock()
	for _, step := range []func(context.Context, string) error{
		q.DropAPIKeys, q.DropBackupCodes, q.DropEmailVerification, q.CloseLinks, q.CloseRequests, q.EraseSwaps, q.DropSessions, q.DropPasswordResets,
		q.DropWaitingNotices, q.DropNoticeChoices, q.DropLoginNetworks,
		q.DropActions,
	} {
		if err := step(ctx, m.MerchantID); err != nil {
			return err
		}
	}
	for _, key := range [][]byte{m.EmailIndex, access.GuessKey(access.GuessCode, m.MerchantID)} {
		if err := q.ClearLoginFailures(ctx, key); err != nil {
			return err
		}
	}
	if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: m.MerchantID, Now: now, AccountEnds: true}); err != nil {
		return err
	}
	if err := q.EraseWebhooks(ctx, m.MerchantID); err != nil {
		return err
	}
	return q.EraseMerchant(ctx, db.EraseMerchantParams{MerchantID: m.MerchantID, Now: now})
}
