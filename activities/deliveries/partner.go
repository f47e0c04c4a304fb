package deliveries

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
)

// partnerDelivery is a row of trade_events.
type partnerDelivery struct {
	a   *Handler
	row db.TradeEventForSendingRow
}

func (a *Handler) findPartnerDelivery(ctx context.Context, id string) (delivery, error) {
	number, err := eventNumber(id)
	if err != nil {
		return nil, err
	}
	row, err := a.Store.TradeEventForSending(ctx, number)
	return partnerDelivery{a, row}, err
}

func eventNumber(id string) (int64, error) {
	number, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("number of an event: %w", err)
	}
	return number, nil
}

func (d partnerDelivery) standing() standing {
	return standing{
		status: webhook.Status(d.row.Delivery), attempts: int(d.row.Attempts), roundFrom: int(d.row.RoundFrom), next: d.row.NextAttemptAt, begun: d.row.BegunAt, policy: webhook.PolicyOfPartners(), owner: d.row.KeyID,
	}
}

func (d partnerDelivery) request(at time.Time) (outbound.Request, error) {
	key, err := d.a.Secret.Unseal(d.row.SecretSealed, secret.PartnerPlace(d.row.KeyID))
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
