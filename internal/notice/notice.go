package notice

import (
	"bytes"
	"context"
	"time"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Kind is the change that a notice is about.
type Kind string

// The kinds of change.
const (
	PayoutAddress Kind = "payout_address"
	AutoSwap      Kind = "auto_swap"
	// Wallet is for another wallet that new charges pay.
	Wallet         Kind = "wallet"
	EmailAsked     Kind = "email_asked"
	Email          Kind = "email"
	Password       Kind = "password"
	PasswordReset  Kind = "password_reset"
	TwoFactorOn    Kind = "two_factor_on"
	TwoFactorOff   Kind = "two_factor_off"
	TwoFactorReset Kind = "two_factor_reset"
	APIKey         Kind = "api_key"
	// KeyGranted is for a key that a merchant gave to an application, KeyRevoked for
	// one that was taken from it.
	KeyGranted Kind = "key_granted"
	KeyRevoked Kind = "key_revoked"
	// StaffInvited is for a link that lets a person join the staff, StaffJoined for one who joined,
	// StaffRole for one who got another role.
	StaffInvited Kind = "staff_invited"
	StaffJoined  Kind = "staff_joined"
	StaffRole    Kind = "staff_role"
	// RefundApproval is for a setting that lets more refunds go without an approval,
	// RefundApproved for the first approval of a session.
	RefundApproval Kind = "refund_approval"
	RefundApproved Kind = "refund_approved"
	// TakenOver is for a reset of the password of an account whose address was not confirmed.
	TakenOver Kind = "taken_over"
	// GrantsEnded is for the end of everything that a reset of the password left.
	GrantsEnded Kind = "grants_ended"
	Deleted     Kind = "deleted"
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{
		PayoutAddress, AutoSwap, Wallet, EmailAsked, Email, Password, PasswordReset, TwoFactorOn, TwoFactorOff, TwoFactorReset, APIKey, KeyGranted,
		KeyRevoked, StaffInvited, StaffJoined, StaffRole, RefundApproval, RefundApproved, TakenOver, GrantsEnded, Deleted,
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
	// Mails is set when a mail server is configured; without it no notice is written.
	Mails bool
}

// Enqueue writes the notice of a change to the address that m has, within the
// transaction q of the change. hold is the end of the delay of the change's effect;
// nil without a delay.
func (n Notices) Enqueue(ctx context.Context, q *db.Queries, m db.Merchant, kind Kind, hold *time.Time) error {
	return n.enqueue(ctx, q, m, db.PutAccountNoticeParams{Kind: string(kind), HoldUntil: hold})
}

// Loosened notifies a merchant that fewer refunds need an approval. With a positive hold, that
// takes effect only after this time, like a change of the address of sweeps: until then every
// claim needs the approval of a session. Loosened returns the end of the delay; nil without
// one. m is the row before the change, and the caller has locked it.
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

// EnqueueOnce is Enqueue for a notice that a session sends only once.
func (n Notices) EnqueueOnce(ctx context.Context, q *db.Queries, m db.Merchant, kind Kind, session string) error {
	enqueued, err := q.HasNoticeOfSession(ctx, db.HasNoticeOfSessionParams{MerchantID: m.MerchantID, Kind: string(kind), SessionID: session})
	if err != nil || enqueued {
		return err
	}
	return n.enqueue(ctx, q, m, db.PutAccountNoticeParams{Kind: string(kind), SessionID: &session})
}

func (n Notices) enqueue(ctx context.Context, q *db.Queries, m db.Merchant, row db.PutAccountNoticeParams) error {
	if !n.Mails {
		return nil
	}
	email, err := n.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return err
	}
	row.ID, row.MerchantID, row.Version = secret.NewID(IDPrefix), m.MerchantID, m.TokenVersion
	row.CreatedAt = n.Clock().UTC().Truncate(time.Millisecond)
	if row.EmailSealed, err = n.Box.Seal(email, secret.NoticePlace.Of(row.ID)); err != nil {
		return err
	}
	if err := q.PutAccountNotice(ctx, row); err != nil {
		return err
	}
	return q.WakeMail(ctx, db.WakeMailParams{ID: row.ID, Owner: m.MerchantID})
}

// EndLink is what a link carries that ends everything which a reset of the password left. It
// has the power of the reset, and lasts as long as the link of one.
type EndLink struct {
	MerchantID string `json:"m"`
	// Version is the account's after the reset: the link is void once a password was taken,
	// or the link used.
	Version int32 `json:"v"`
	// Address is the index of the account's address: a merchant who gives up a mailbox
	// gives up its links.
	Address []byte    `json:"a"`
	Until   time.Time `json:"u"`
}

// Good reports whether the link is one of the account as it is now.
func (l EndLink) Good(m db.Merchant) bool {
	return m.DeletedAt == nil && m.TokenVersion == l.Version && bytes.Equal(m.EmailIndex, l.Address)
}

// SealEnd makes the token of a link for the account m, whose password was reset at a time.
func SealEnd(box *secret.Box, m db.Merchant, at time.Time) (string, error) {
	return box.SealToken(EndLink{m.MerchantID, m.TokenVersion, m.EmailIndex, at.Add(account.ResetLife)}, secret.EndPlace())
}

// OpenEnd reads a token; false for a text that SealEnd did not make, and for one that has
// expired.
func OpenEnd(box *secret.Box, token string, now time.Time) (EndLink, bool) {
	var l EndLink
	ok := box.OpenToken(token, secret.EndPlace(), &l)
	return l, ok && now.Before(l.Until)
}

// Grants lists who may act for a merchant, and where the money goes. Keys are the
// beginnings of the account's own keys. Applications counts keys of applications, Staff
// people and invites. PayoutAddress is masked; empty for none. Wallets are the shop's
// own wallet and one that a change waits for, masked. Swap is the coin of the automatic conversion.
type Grants = db.GetGrantsRow
