package accounts

import (
	"context"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// noticeChoices is how often the merchant gets a mail about each kind of event.
type noticeChoices struct {
	ChargePaid     notice.Frequency `json:"charge_paid" enum:"off,at_once,daily" doc:"A charge was paid and is confirmed" example:"daily"`
	Underpaid      notice.Frequency `json:"underpaid" enum:"off,at_once,daily" doc:"A charge expired with a part of its amount" example:"at_once"`
	Late           notice.Frequency `json:"late" enum:"off,at_once,daily" doc:"Money for a charge was confirmed after the charge had expired" example:"at_once"`
	FailedDelivery notice.Frequency `json:"failed_delivery" enum:"off,at_once,daily" doc:"A delivery to a webhook was given up" example:"at_once"`
	PayoutSent     notice.Frequency `json:"payout_sent" enum:"off,at_once,daily" doc:"A payout was sent" example:"off"`
	RefundDropped  notice.Frequency `json:"refund_dropped" enum:"off,at_once,daily" doc:"Your payment of a refund, from your own wallet, has left the chain" example:"at_once"`
	NewLogin       notice.Frequency `json:"new_login" enum:"off,at_once,daily" doc:"A login from a network (/24 of IPv4, /48 of IPv6) that was not seen before" example:"at_once"`
	Mails          bool             `json:"mails" doc:"Whether this service sends mails at all"`
}

// newNoticeChoices is a change of noticeChoices.
type newNoticeChoices struct {
	ChargePaid     *notice.Frequency `json:"charge_paid,omitempty" enum:"off,at_once,daily" doc:"off, at_once or daily; unchanged when it is missing" example:"daily"`
	Underpaid      *notice.Frequency `json:"underpaid,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"at_once"`
	Late           *notice.Frequency `json:"late,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"at_once"`
	FailedDelivery *notice.Frequency `json:"failed_delivery,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"at_once"`
	PayoutSent     *notice.Frequency `json:"payout_sent,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"off"`
	RefundDropped  *notice.Frequency `json:"refund_dropped,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"at_once"`
	NewLogin       *notice.Frequency `json:"new_login,omitempty" enum:"off,at_once,daily" doc:"As charge_paid" example:"at_once"`
}

// chosen returns the frequencies of a change in the order of businessnotice.Kinds; nil for a
// kind that stays unchanged.
func (n newNoticeChoices) chosen() []*notice.Frequency {
	return []*notice.Frequency{n.ChargePaid, n.Underpaid, n.Late, n.FailedDelivery, n.PayoutSent, n.RefundDropped, n.NewLogin}
}

func (h *Settings) notices(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[noticeChoices], error) {
	return httpapi.With(h.noticesOf(ctx, h.Store.Queries, m.MerchantID))
}

func (h *Settings) noticesOf(ctx context.Context, q *db.Queries, merchantID string) (noticeChoices, error) {
	c, err := notice.Choices(ctx, q, merchantID)
	return noticeChoices{
		c[notice.ChargePaid], c[notice.Underpaid], c[notice.Late], c[notice.FailedDelivery],
		c[notice.PayoutSent], c[notice.RefundDropped], c[notice.NewLogin], h.Mails,
	}, err
}

func (h *Settings) setNotices(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newNoticeChoices]
},
) (*httpapi.Out[noticeChoices], error) {
	fields := in.Body.Value()
	change := map[notice.BusinessKind]notice.Frequency{}
	for i, f := range fields.chosen() {
		kind := notice.BusinessKinds()[i]
		switch {
		case f == nil:
		case !notice.IsFrequency(*f):
			return nil, httpapi.BadRequest("%s must be off, at_once or daily", kind)
		default:
			change[kind] = *f
		}
	}
	if len(change) == 0 {
		return nil, httpapi.BadRequest("at least one kind of notice is required")
	}
	var set noticeChoices
	err := access.Change(ctx, h.Store, m, func(q *db.Queries) (err error) {
		if err = choose(ctx, q, m.MerchantID, change); err != nil {
			return err
		}
		set, err = h.noticesOf(ctx, q, m.MerchantID)
		return err
	})
	return httpapi.With(set, err)
}

// choose sets frequencies, always in the order of businessnotice.Kinds.
func choose(ctx context.Context, q *db.Queries, merchantID string, to map[notice.BusinessKind]notice.Frequency) error {
	for _, kind := range notice.BusinessKinds() {
		if f, given := to[kind]; given {
			if err := notice.Choose(ctx, q, merchantID, kind, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// NoticesLink returns nil if the link of a mail is valid, and pages.ErrGone if it is not. It
// serves a pages.MailLink.
func (h *Settings) NoticesLink(ctx context.Context, token string) error {
	link, ok := notice.OpenOff(h.Box, token)
	if !ok {
		return pages.ErrGone
	}
	m, err := h.Store.GetMerchant(ctx, link.MerchantID)
	if postgres.IsNotFound(err) || (err == nil && m.DeletedAt != nil) {
		return pages.ErrGone
	}
	return err
}

// TurnNoticesOff turns off the kinds of mail that a link names. A second run changes nothing. It
// serves a pages.MailLink.
func (h *Settings) TurnNoticesOff(ctx context.Context, token string) error {
	link, ok := notice.OpenOff(h.Box, token)
	if !ok {
		return pages.ErrGone
	}
	change := map[notice.BusinessKind]notice.Frequency{}
	for _, kind := range link.Kinds {
		change[kind] = notice.Off
	}
	err := h.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.HoldMerchant(ctx, link.MerchantID); err != nil {
			return err
		}
		return choose(ctx, q, link.MerchantID, change)
	})
	return httpapi.Missing(err, pages.ErrGone)
}
