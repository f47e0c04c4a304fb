package notice

import (
	"context"
	"net/netip"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// BusinessKind is the subject of a notice.
type BusinessKind string

// The kinds of notices.
const (
	// ChargePaid is a charge that was confirmed.
	ChargePaid BusinessKind = "charge_paid"
	// Underpaid is a charge that expired with less than its amount.
	Underpaid BusinessKind = "underpaid"
	// Late is a charge whose money came, and was confirmed, after it expired.
	Late BusinessKind = "late"
	// FailedDelivery is a delivery to a webhook that was given up.
	FailedDelivery BusinessKind = "failed_delivery"
	// PayoutSent is a payout that was relayed.
	PayoutSent BusinessKind = "payout_sent"
	// RefundDropped is a payment of a refund that has left the chain, or the pool.
	RefundDropped BusinessKind = "refund_dropped"
	// NewLogin is a login from a network that the merchant has not logged in from.
	NewLogin BusinessKind = "new_login"
)

// BusinessKinds are all kinds, in the order in which they are shown.
func BusinessKinds() []BusinessKind {
	return []BusinessKind{ChargePaid, Underpaid, Late, FailedDelivery, PayoutSent, RefundDropped, NewLogin}
}

// Frequency is how often a merchant is mailed about a kind.
type Frequency string

// The frequencies. Daily is one mail a day about everything.
const (
	Off    Frequency = "off"
	AtOnce Frequency = "at_once"
	Daily  Frequency = "daily"
)

// IsFrequency reports whether a text is a frequency.
func IsFrequency(f Frequency) bool { return f == Off || f == AtOnce || f == Daily }

// DefaultFrequency returns the frequency of a kind for which the merchant chose nothing:
// at once for kinds that the merchant has to look at, off for the rest.
func DefaultFrequency(k BusinessKind) Frequency {
	switch k {
	case Late, FailedDelivery, RefundDropped, NewLogin:
		return AtOnce
	default:
		return Off
	}
}

// BusinessPrefix begins the ID of a mail about business.
const BusinessPrefix = "nm_"

// Limits of mails.
const (
	// MaxAtOnce is how many mails at once about logins a merchant gets in an hour, and as
	// many about all else.
	MaxAtOnce = 20
	// DigestHour is the hour of the day (UTC) at which digests are made.
	DigestHour = 8
	// BusinessKept is how long notices and their mails are kept, sent or not.
	BusinessKept = 30 * 24 * time.Hour
	// NetworkLife is how long a network is known after the last login from there.
	NetworkLife = 180 * 24 * time.Hour
)

// LastDigest is the last moment before now, or now, at which digests are made.
func LastDigest(now time.Time) time.Time {
	now = now.UTC()
	at := time.Date(now.Year(), now.Month(), now.Day(), DigestHour, 0, 0, 0, time.UTC)
	if at.After(now) {
		return at.AddDate(0, 0, -1)
	}
	return at
}

// BusinessNotice is something that happened in a merchant's business.
type BusinessNotice struct {
	MerchantID string
	Kind       BusinessKind
	// ResourceID is the charge, delivery, payout, claim or login that the notice is
	// about. With Kind and Part it names the notice.
	ResourceID string
	Part       int32
	// Amount is nil for a notice that is not about money.
	Amount *money.Piconero
	At     time.Time
}

// PutBusiness writes a notice within the caller's transaction, unless the merchant has turned its
// kind off or deleted the account. A notice that exists already is not written again.
func PutBusiness(ctx context.Context, q *db.Queries, n BusinessNotice) error {
	return q.PutBusinessNotice(ctx, db.PutBusinessNoticeParams{
		MerchantID: n.MerchantID, Kind: string(n.Kind), ResourceID: n.ResourceID, Part: n.Part, Amount: n.Amount,
		Usual: string(DefaultFrequency(n.Kind)), HappenedAt: n.At,
	})
}

// Choices are the frequencies of all kinds for a merchant.
func Choices(ctx context.Context, q *db.Queries, merchantID string) (map[BusinessKind]Frequency, error) {
	rows, err := q.NoticeChoices(ctx, merchantID)
	if err != nil {
		return nil, err
	}
	chosen := make(map[BusinessKind]Frequency, len(BusinessKinds()))
	for _, k := range BusinessKinds() {
		chosen[k] = DefaultFrequency(k)
	}
	for _, r := range rows {
		chosen[BusinessKind(r.Kind)] = Frequency(r.Frequency)
	}
	return chosen, nil
}

// Choose sets the frequency of a kind. Notices that wait for a mail follow it; with Off
// they go. Run twice, the second run changes nothing.
func Choose(ctx context.Context, q *db.Queries, merchantID string, k BusinessKind, f Frequency) error {
	err := q.SetNoticeChoice(ctx, db.SetNoticeChoiceParams{MerchantID: merchantID, Kind: string(k), Frequency: string(f)})
	if err != nil {
		return err
	}
	return q.ApplyNoticeChoice(ctx, db.ApplyNoticeChoiceParams{MerchantID: merchantID, Kind: string(k), Frequency: string(f)})
}

// OffPath is where the link in a mail leads that turns its kinds off; the token
// follows.
const OffPath = "/notices/off/"

// OffLink is what a link in a mail turns off.
type OffLink struct {
	MerchantID string         `json:"m"`
	Kinds      []BusinessKind `json:"k"`
}

// SealOff makes the token of a link.
func SealOff(box *secret.Box, l OffLink) (string, error) {
	return box.SealToken(l, secret.NoticeOffPlace())
}

// OpenOff reads a token; false for a text that SealOff did not make.
func OpenOff(box *secret.Box, token string) (OffLink, bool) {
	var l OffLink
	ok := box.OpenToken(token, secret.NoticeOffPlace(), &l)
	return l, ok
}

// Bits of an address that name its network.
const (
	networkBits4 = 24
	networkBits6 = 48
)

// Login is a login that succeeded.
type Login struct {
	MerchantID string
	// From is the client's address; the zero value stands for all who came through Tor
	// or have none.
	From netip.Addr
	At   time.Time
}

// network is the keyed hash of the login's network. The address is in nothing that is kept.
func (l Login) network(key []byte) []byte {
	name := "onion"
	bits := networkBits6
	if l.From.Unmap().Is4() {
		bits = networkBits4
	}
	if net, err := l.From.Unmap().WithZone("").Prefix(bits); err == nil {
		name = net.String()
	}
	return secret.Code(key, l.MerchantID+":"+name)
}

// SeeLogin remembers the network of a login, and writes a notice when it is new and the
// merchant has logged in from another before. Run twice, or at the same time from the
// same network, it writes one.
func SeeLogin(ctx context.Context, q *db.Queries, key []byte, l Login) error {
	network := l.network(key)
	added, err := q.AddLoginNetwork(ctx, db.AddLoginNetworkParams{MerchantID: l.MerchantID, Network: network, Now: l.At})
	if err != nil {
		return err
	}
	if added == 0 {
		return q.TouchLoginNetwork(ctx, db.TouchLoginNetworkParams{MerchantID: l.MerchantID, Network: network, Now: l.At})
	}
	hasOther, err := q.HasOtherLoginNetwork(ctx, db.HasOtherLoginNetworkParams{MerchantID: l.MerchantID, Network: network})
	if err != nil || !hasOther {
		return err
	}
	return PutBusiness(ctx, q, BusinessNotice{MerchantID: l.MerchantID, Kind: NewLogin, ResourceID: secret.NewID("lg_"), At: l.At})
}
