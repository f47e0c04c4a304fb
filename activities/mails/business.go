package mails

import (
	"context"

	"github.com/durapay/durapay/internal/businessnotice"
	"github.com/durapay/durapay/internal/mail"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// findBusiness reads a mail about business. The mail is needless if its account is gone.
func (a *Handler) findBusiness(ctx context.Context, id string) (draft, error) {
	row, err := a.Store.GetNoticeMail(ctx, id)
	if err != nil {
		return draft{}, err
	}
	if row.SentAt == nil && row.EmailSealed == nil {
		return draft{state: MailNeedless}, nil
	}
	return draft{
		state:   mailStateOf(row.SentAt),
		compose: func() (mail.Message, error) { return a.businessMail(ctx, row) },
		sent: func(ctx context.Context) error {
			return a.Store.MarkNoticeMailSent(ctx, db.MarkNoticeMailSentParams{ID: id, Now: a.Clock()})
		},
	}, nil
}

// businessMail composes a mail of its notices, to the merchant's current address.
func (a *Handler) businessMail(ctx context.Context, row db.GetNoticeMailRow) (mail.Message, error) {
	to, err := a.Secret.Unseal(row.EmailSealed, secret.EmailPlace(row.MerchantID))
	if err != nil {
		return mail.Message{}, err
	}
	b := mail.Business{ID: row.ID, To: string(to), DigestAt: row.DigestAt}
	sums, err := a.Store.SumNoticesOfMail(ctx, row.ID)
	if err != nil {
		return mail.Message{}, err
	}
	off := businessnotice.OffLink{MerchantID: row.MerchantID}
	for _, s := range sums {
		kind := businessnotice.Kind(s.Kind)
		off.Kinds = append(off.Kinds, kind)
		b.Sums = append(b.Sums, mail.BusinessSum{Kind: kind, Count: s.Notices, Atomic: s.Amount})
	}
	first, err := a.Store.NoticesOfMail(ctx, db.NoticesOfMailParams{MailID: row.ID, Most: mail.MaxBusinessLines})
	if err != nil {
		return mail.Message{}, err
	}
	for _, n := range first {
		b.First = append(b.First, businessnotice.Notice{
			MerchantID: n.MerchantID, Kind: businessnotice.Kind(n.Kind), ResourceID: n.ResourceID, Amount: n.Amount, At: n.HappenedAt,
		})
	}
	token, err := businessnotice.SealOff(a.Secret, off)
	if err != nil {
		return mail.Message{}, err
	}
	b.OffLink = a.PublicURL + businessnotice.OffPath + token
	return a.Templates.Business(b)
}
