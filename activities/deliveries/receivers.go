package deliveries

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
)

// merchantDelivery is a row of deliveries.
type merchantDelivery struct {
	a   *Handler
	row db.GetDeliveryForSendingRow
}

func (d merchantDelivery) standing() standing {
	now := standing{
		status: webhook.Status(d.row.Status), attempts: int(d.row.Attempts), roundFrom: int(d.row.RoundFrom), next: d.row.NextAttemptAt,
		held: d.row.NextAttemptAt == nil, owner: d.row.MerchantID,
	}
	now.policy, _ = webhook.PolicyOf(webhook.Retries(d.row.Retries)) // the table takes no other
	switch {
	case d.row.WebhookDeleted:
		now.gone = "the webhook was deleted"
	case !d.row.Enabled:
		now.gone = "the webhook is switched off"
	}
	return now
}

func (d merchantDelivery) request(at time.Time) (outbound.Request, error) {
	key, err := d.a.Secret.Unseal(d.row.SecretSealed, secret.WebhookPlace.Of(d.row.WebhookID))
	if err != nil {
		return outbound.Request{}, err
	}
	body, header := []byte(d.row.Payload), http.Header{}
	header.Set("Content-Type", "application/json")
	if webhook.Dialect(d.row.Dialect) == webhook.BTCPay {
		if body, err = d.invoiceBody(); err != nil {
			return outbound.Request{}, err
		}
		header.Set(webhook.BTCPaySignatureHeader, webhook.SignBTCPay(string(key), body))
	} else {
		header.Set(webhook.SignatureHeader, webhook.Sign(string(key), body))
		addStandard(header, string(key), d.row.ID, at, body)
	}
	return outbound.Request{URL: d.row.Url, Body: body, Header: header, UseTor: d.row.UseTor}, nil
}

// invoiceBody returns the body in BTCPay's format. Our own test event is sent unchanged.
func (d merchantDelivery) invoiceBody() ([]byte, error) {
	if !webhook.IsBTCPayEvent(d.row.Type) {
		return []byte(d.row.Payload), nil
	}
	return webhook.BTCPayDelivery(d.row.Payload, d.row.ID, d.row.WebhookID, int(d.row.Rounds), d.row.Metadata)
}

func (d merchantDelivery) record(ctx context.Context, o outcome) (bool, error) {
	attempt := db.RecordAttemptParams{
		ID: d.row.ID, Status: string(o.status), Attempt: int32(o.attempt), Attempts: int32(o.attempts), HttpStatus: o.httpStatus, Error: o.err,
		LastAttemptAt: o.ended, NextAttemptAt: o.next, DeliveredAt: o.deliveredAt, RequestHeaders: o.headers, Answer: o.answer,
	}
	givenUp := o.status == webhook.Failed && d.row.Mode == string(config.Live)
	ordered := webhook.Dialect(d.row.Dialect) == webhook.BTCPay && o.status != webhook.Pending
	if !givenUp && !ordered {
		n, err := d.a.Store.RecordAttempt(ctx, attempt)
		return n > 0, err
	}
	var recorded int64
	err := d.a.Store.TxAgain(ctx, func(q *db.Queries) error {
		var err error
		if recorded, err = q.RecordAttempt(ctx, attempt); err != nil || recorded == 0 {
			return err
		}
		if ordered {
			err = q.ReleaseDelivery(ctx, db.ReleaseDeliveryParams{ID: d.row.ID, Now: d.a.Clock()})
		}
		if err != nil || !givenUp {
			return err
		}
		return notice.PutBusiness(ctx, q, notice.BusinessNotice{ // the merchant may want to be mailed
			MerchantID: d.row.MerchantID, Kind: notice.FailedDelivery, ResourceID: d.row.ID, Part: d.row.Rounds, At: *attempt.LastAttemptAt,
		})
	})
	return recorded > 0, err
}

func (d merchantDelivery) count(o outcome) {
	d.a.Finished(o.status)
	if o.deliveredAt != nil && d.row.SeenAt != nil {
		d.a.Reported(d.row.Type, o.deliveredAt.Sub(*d.row.SeenAt))
	}
}

// partnerDelivery is a row of trade_events.
type partnerDelivery struct {
	a   *Handler
	row db.TradeEventForSendingRow
}

func (d partnerDelivery) standing() standing {
	return standing{
		status: webhook.Status(d.row.Delivery), attempts: int(d.row.Attempts), roundFrom: int(d.row.RoundFrom), next: d.row.NextAttemptAt, begun: d.row.BegunAt, policy: webhook.PolicyOfPartners(), owner: d.row.KeyID,
	}
}

func (d partnerDelivery) request(at time.Time) (outbound.Request, error) {
	key, err := d.a.Secret.Unseal(d.row.SecretSealed, secret.PartnerPlace.Of(d.row.KeyID))
	if err != nil {
		return outbound.Request{}, err
	}
	details, err := exchange.OpenDetails(d.a.Secret, d.row.TradeID, d.row.DetailsSealed)
	if err != nil {
		return outbound.Request{}, err
	}
	body, header := []byte(d.row.Payload), http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(trade.EventHeader, trade.EventName)
	header.Set(trade.SignatureHeader, webhook.Sign(string(key), body))
	addStandard(header, string(key), fmt.Sprintf("te_%d", d.row.ID), at, body)
	target := *details.WebhookURL
	return outbound.Request{URL: target, Body: body, Header: header, UseTor: outbound.IsOnion(target)}, nil
}

func (d partnerDelivery) record(ctx context.Context, o outcome) (bool, error) {
	n, err := d.a.Store.RecordTradeEventAttempt(ctx, db.RecordTradeEventAttemptParams{
		ID: d.row.ID, Delivery: string(o.status), Attempts: int32(o.attempts), HttpStatus: o.httpStatus, Error: o.err,
		BegunAt: &o.begun, LastAttemptAt: o.ended, NextAttemptAt: o.next, DeliveredAt: o.deliveredAt,
	})
	return n > 0, err
}

func (d partnerDelivery) count(o outcome) { d.a.TradeFinished(o.status) }
