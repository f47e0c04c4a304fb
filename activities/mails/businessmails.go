package mails

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// merchantsPerPage is how many merchants are read at a time.
const merchantsPerPage = 200

// GatherNotices makes the mails that are due and returns how many. Without a mail server it
// makes none. One transaction writes
// a merchant's mails and assigns the notices to them. It also writes the
// wakeups of their workflows, so a crash at any point loses nothing. A second run finds no waiting notices,
// because a notice belongs to one mail for ever.
func (a *Handler) GatherNotices(ctx context.Context) (int, error) {
	made := 0
	if a.Sender == nil {
		return made, nil
	}
	now := a.Clock().UTC().Truncate(time.Millisecond)
	for after := ""; ; {
		merchants, err := a.Store.MerchantsToMail(ctx, db.MerchantsToMailParams{
			After: after, Before: notice.LastDigest(now), Batch: merchantsPerPage,
		})
		if err != nil || len(merchants) == 0 {
			return made, err
		}
		for _, id := range merchants {
			n, err := a.gather(ctx, id, now)
			if err != nil {
				return made, err
			}
			made += n
		}
		after = merchants[len(merchants)-1]
	}
}

// gather makes the mails of one merchant. It locks the merchant's row, so that two runs
// do not make them at the same time. It deletes the waiting notices of an account that is
// gone.
func (a *Handler) gather(ctx context.Context, merchantID string, now time.Time) (int, error) {
	made := 0
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		made = 0
		if _, err := q.HoldMerchant(ctx, merchantID); postgres.IsNotFound(err) {
			return q.DropWaitingNotices(ctx, merchantID)
		} else if err != nil {
			return err
		}
		g := gathering{q: q, merchantID: merchantID, now: now}
		if err := g.atOnce(ctx, notice.NewLogin); err != nil { // no number of other mails delays it
			return err
		}
		others := slices.DeleteFunc(notice.BusinessKinds(), func(k notice.BusinessKind) bool { return k == notice.NewLogin })
		if err := g.atOnce(ctx, others...); err != nil {
			return err
		}
		err := g.digest(ctx)
		made = g.made
		return err
	})
	return made, err
}

// gathering makes the mails of one merchant in one transaction.
type gathering struct {
	q          *db.Queries
	merchantID string
	now        time.Time
	made       int
}

// atOnce makes one mail for each notice of some kinds. If their mails of an hour do not
// suffice, the last of them has all the rest. Later notices wait until the hour has room.
func (g *gathering) atOnce(ctx context.Context, kinds ...notice.BusinessKind) error {
	names := namesOf(kinds)
	sent, err := g.q.CountMailsAtOnce(ctx, db.CountMailsAtOnceParams{MerchantID: g.merchantID, Since: g.now.Add(-time.Hour), Kinds: names})
	if err != nil {
		return err
	}
	// A notice may carry the clock of another machine, which is ahead of ours.
	before := g.now.Add(24 * time.Hour)
	waiting, err := g.q.CountWaitingNotices(ctx, db.CountWaitingNoticesParams{
		MerchantID: g.merchantID, Frequency: string(notice.AtOnce), Before: before, Kinds: names,
	})
	if err != nil {
		return err
	}
	for room := notice.MaxAtOnce - sent; room > 0 && waiting > 0; room, waiting = room-1, waiting-1 {
		most := int32(1)
		if room == 1 {
			most, waiting = math.MaxInt32, 1
		}
		if err := g.mail(ctx, db.AssignNoticesParams{Frequency: string(notice.AtOnce), Kinds: names, Before: before, Most: most}, nil); err != nil {
			return err
		}
	}
	return nil
}

// digest makes one mail about everything before the last time for digests, however many
// days that is, unless that day has its mail.
func (g *gathering) digest(ctx context.Context) error {
	before, names := notice.LastDigest(g.now), namesOf(notice.BusinessKinds())
	waiting, err := g.q.CountWaitingNotices(ctx, db.CountWaitingNoticesParams{
		MerchantID: g.merchantID, Frequency: string(notice.Daily), Before: before, Kinds: names,
	})
	if err != nil || waiting == 0 {
		return err
	}
	return g.mail(ctx, db.AssignNoticesParams{Frequency: string(notice.Daily), Kinds: names, Before: before, Most: math.MaxInt32}, &before)
}

// mail makes one mail of the oldest notices that wait, unless it is the digest of a day
// that has one.
func (g *gathering) mail(ctx context.Context, of db.AssignNoticesParams, day *time.Time) error {
	of.MailID, of.MerchantID = secret.NewID(notice.BusinessPrefix), g.merchantID
	n, err := g.q.PutNoticeMail(ctx, db.PutNoticeMailParams{ID: of.MailID, MerchantID: g.merchantID, DigestAt: day, CreatedAt: g.now})
	if err != nil || n == 0 {
		return err
	}
	if err := g.q.AssignNotices(ctx, of); err != nil {
		return err
	}
	g.made++
	return g.q.WakeMail(ctx, db.WakeMailParams{ID: of.MailID, Owner: g.merchantID})
}

func namesOf(kinds []notice.BusinessKind) []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = string(k)
	}
	return names
}

// findBusiness reads a mail about business. The mail is needless if its account is gone.
func (a *Handler) findBusiness(ctx context.Context, id string) (draft, error) {
	row, err := a.Store.GetNoticeMail(ctx, id)
	if err != nil {
		return draft{}, err
	}
	if row.SentAt == nil && row.EmailSealed == nil {
		return draft{state: MailNeedless}, nil
	}
	return draftOf(a, id, row.SentAt, func() (notice.Message, error) { return a.businessMail(ctx, row) }, a.Store.MarkNoticeMailSent), nil
}

// businessMail composes a mail of its notices, to the merchant's current address.
func (a *Handler) businessMail(ctx context.Context, row db.GetNoticeMailRow) (notice.Message, error) {
	to, err := a.Secret.Unseal(row.EmailSealed, secret.EmailPlace.Of(row.MerchantID))
	if err != nil {
		return notice.Message{}, err
	}
	b := notice.BusinessMail{ID: row.ID, To: string(to), Shop: row.BusinessName, PublicURL: a.PublicURL, DigestAt: row.DigestAt}
	sums, err := a.Store.SumNoticesOfMail(ctx, row.ID)
	if err != nil {
		return notice.Message{}, err
	}
	off := notice.OffLink{MerchantID: row.MerchantID}
	for _, s := range sums {
		kind := notice.BusinessKind(s.Kind)
		off.Kinds = append(off.Kinds, kind)
		b.Sums = append(b.Sums, notice.BusinessSum{Kind: kind, Count: s.Notices, Atomic: s.Amount})
	}
	first, err := a.Store.NoticesOfMail(ctx, db.NoticesOfMailParams{MailID: row.ID, Most: notice.MaxBusinessLines})
	if err != nil {
		return notice.Message{}, err
	}
	for _, n := range first {
		b.First = append(b.First, notice.BusinessLine{
			Kind: notice.BusinessKind(n.Kind), ResourceID: n.ResourceID, Amount: n.Amount, At: n.HappenedAt,
			Order: n.OrderID, Description: n.Description, Receiver: n.Receiver,
		})
	}
	token, err := notice.SealOff(a.Secret, off)
	if err != nil {
		return notice.Message{}, err
	}
	b.OffLink = a.PublicURL + notice.OffPath + token
	return a.Templates.BusinessMail(b)
}
