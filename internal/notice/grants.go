package notice

import (
	"bytes"
	"context"
	"time"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

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

// Grants lists who may act for a merchant (keys, applications, staff, webhooks),
// and where the money goes.
type Grants struct {
	// Keys are the beginnings of the account's own keys.
	Keys []string
	// Applications counts keys of applications, Staff people and invites.
	Applications, Staff, Webhooks int64
	// PayoutAddress is masked; empty for none. Swap is the coin of the automatic conversion.
	PayoutAddress, Swap string
}

// GrantsOf reads the grants of a merchant.
func GrantsOf(ctx context.Context, q *db.Queries, merchantID string, now time.Time) (Grants, error) {
	row, err := q.GetGrants(ctx, db.GetGrantsParams{MerchantID: merchantID, Now: now})
	return Grants{row.Keys, row.Applications, int64(row.Staff), row.Webhooks, row.PayoutAddress, row.Swap}, err
}
