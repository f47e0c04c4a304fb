// Package notice tells merchants by mail what was changed of their account, so
// that a change by somebody else does not stay unseen. A notice is a row
// written with the change, and a workflow that mails it: the workflow is
// started before the row is committed and waits for it, so that no crash leaves
// a change without its mail, and a change that is not made has none.
package notice

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Kind is what was changed.
type Kind string

// The kinds of change.
const (
	PayoutAddress  Kind = "payout_address"
	AutoSwap       Kind = "auto_swap"
	EmailAsked     Kind = "email_asked"
	Email          Kind = "email"
	Password       Kind = "password"
	PasswordReset  Kind = "password_reset"
	TwoFactorOn    Kind = "two_factor_on"
	TwoFactorOff   Kind = "two_factor_off"
	TwoFactorReset Kind = "two_factor_reset"
	APIKey         Kind = "api_key"
	// KeyGranted is for a key that an application was given, KeyRevoked for one
	// that was taken from it.
	KeyGranted Kind = "key_granted"
	KeyRevoked Kind = "key_revoked"
	// StaffInvited is for a link that lets somebody join the staff, StaffJoined for who did.
	StaffInvited Kind = "staff_invited"
	StaffJoined  Kind = "staff_joined"
	// RefundApproval is for more that is let go without an approval, RefundApproved for the
	// first approval of a session.
	RefundApproval Kind = "refund_approval"
	RefundApproved Kind = "refund_approved"
	// TakenOver is for the reset of the password of an account that nobody had confirmed.
	TakenOver Kind = "taken_over"
	// GrantsEnded is for the end of everything that a reset of the password left.
	GrantsEnded Kind = "grants_ended"
	Deleted     Kind = "deleted"
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{
		PayoutAddress, AutoSwap, EmailAsked, Email, Password, PasswordReset, TwoFactorOn, TwoFactorOff, TwoFactorReset, APIKey, KeyGranted,
		KeyRevoked, StaffInvited, StaffJoined, RefundApproval, RefundApproved, TakenOver, GrantsEnded, Deleted,
	}
}

// IDPrefix begins the ID of a notice, ResetPrefix that of a reset's mail.
const (
	IDPrefix    = "an_"
	ResetPrefix = "rs_"
)

// Notices writes notices. The zero value writes none.
type Notices struct {
	Box   *secret.Box
	Clock func() time.Time
	// Start starts the mail workflow of an ID that is about to be written; nil
	// where no mail server is configured, and nobody is told.
	Start func(ctx context.Context, merchantID, id string) error
}

// Enqueue writes the notice of a change to the address that m has, within the
// transaction q of the change. hold is until when what it allows waits; nil when
// it waits for nothing. An error of Temporal ends the transaction: what nobody
// would be told of is not changed.
func (n Notices) Enqueue(ctx context.Context, q *db.Queries, m db.Merchant, kind Kind, hold *time.Time) error {
	return n.enqueue(ctx, q, m, db.PutAccountNoticeParams{Kind: string(kind), HoldUntil: hold})
}

// Loosened tells a merchant that more of the shop's money is let go without an approval than
// before, and makes that wait as a change of where sweeps go, for the time of hold: until then
// every claim needs the approval of a session. It returns until when; nil for not at all. m is
// the row before the change, and is held.
func (n Notices) Loosened(ctx context.Context, q *db.Queries, m db.Merchant, hold time.Duration) (until *time.Time, err error) {
	if hold > 0 {
		end := n.Clock().Add(hold).UTC().Truncate(time.Millisecond)
		until = &end
		if err := q.HoldRefunds(ctx, db.HoldRefundsParams{MerchantID: m.MerchantID, Until: end}); err != nil {
			return nil, err
		}
	}
	return until, n.Enqueue(ctx, q, m, RefundApproval, until)
}

// EnqueueOnce is Enqueue for what is told once of a session.
func (n Notices) EnqueueOnce(ctx context.Context, q *db.Queries, m db.Merchant, kind Kind, session string) error {
	told, err := q.HasNoticeOfSession(ctx, db.HasNoticeOfSessionParams{MerchantID: m.MerchantID, Kind: string(kind), SessionID: session})
	if err != nil || told {
		return err
	}
	return n.enqueue(ctx, q, m, db.PutAccountNoticeParams{Kind: string(kind), SessionID: &session})
}

func (n Notices) enqueue(ctx context.Context, q *db.Queries, m db.Merchant, row db.PutAccountNoticeParams) error {
	if n.Start == nil {
		return nil
	}
	email, err := n.Box.Unseal(m.EmailSealed, secret.EmailPlace(m.MerchantID))
	if err != nil {
		return err
	}
	row.ID, row.MerchantID, row.Version = secret.NewID(IDPrefix), m.MerchantID, m.TokenVersion
	row.CreatedAt = n.Clock().UTC().Truncate(time.Millisecond)
	if row.EmailSealed, err = n.Box.Seal(email, secret.NoticePlace(row.ID)); err != nil {
		return err
	}
	if err := n.Start(ctx, m.MerchantID, row.ID); err != nil {
		return err
	}
	return q.PutAccountNotice(ctx, row)
}
