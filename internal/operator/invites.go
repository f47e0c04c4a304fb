package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// MaxInviteLife is the longest time for which an invite is good.
const MaxInviteLife = 366 * 24 * time.Hour

// Invite lets a person open one account.
type Invite struct {
	ID string `json:"id"`
	// Token is what the new merchant sends; it is shown when the invite is made,
	// and its hash alone is kept.
	Token      string     `json:"invite,omitempty"`
	Note       string     `json:"note"`
	CreatedAt  wire.Time  `json:"created_at"`
	ExpiresAt  wire.Time  `json:"expires_at"`
	UsedAt     *wire.Time `json:"used_at"`
	MerchantID *string    `json:"merchant_id"`
}

// Invites is the newest invites.
type Invites struct {
	Invites []Invite `json:"invites"`
}

// CreateInvite makes an invite that is good for so long, at most MaxInviteLife.
// The note is for operators.
func (d *Admin) CreateInvite(ctx context.Context, who Actor, good time.Duration, note string) (Invite, error) {
	if good <= 0 || good > MaxInviteLife {
		return Invite{}, refuse("an invite is good for up to %s", MaxInviteLife)
	}
	token, now := secret.NewInvite(), d.now()
	row := db.InsertInviteParams{
		ID: secret.NewID("in_"), TokenHash: secret.HashAPIKey(token), Note: note, CreatedAt: now, ExpiresAt: now.Add(good),
	}
	err := d.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.InsertInvite(ctx, row); err != nil {
			return err
		}
		return d.record(ctx, q, who, entry{"invite.create", row.ID, map[string]string{"note": note}})
	})
	return Invite{
		ID: row.ID, Token: token, Note: note, CreatedAt: wire.TimeOf(row.CreatedAt), ExpiresAt: wire.TimeOf(row.ExpiresAt),
	}, err
}

// Invites lists the newest invites, without their tokens.
func (d *Admin) Invites(ctx context.Context) (Invites, error) {
	rows, err := d.Store.ListInvites(ctx, MaxRows)
	return Invites{each(rows, func(r db.Invite) Invite {
		return Invite{
			ID: r.ID, Note: r.Note, CreatedAt: wire.TimeOf(r.CreatedAt), ExpiresAt: wire.TimeOf(r.ExpiresAt),
			UsedAt: wire.TimeOrNil(r.UsedAt), MerchantID: r.MerchantID,
		}
	})}, err
}

// RevokeInvite removes an unused invite, and returns those that are left.
func (d *Admin) RevokeInvite(ctx context.Context, who Actor, id string) (Invites, error) {
	err := d.Store.Tx(ctx, func(q *db.Queries) error {
		n, err := q.DropInvite(ctx, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return refuse("there is no unused invite %s", id)
		}
		return d.record(ctx, q, who, entry{"invite.revoke", id, struct{}{}})
	})
	if err != nil {
		return Invites{}, err
	}
	return d.Invites(ctx)
}
