package webhooks

import (
	"encoding/json"

	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

func exampleWebhook() webhookView {
	return webhookView{
		ID: example.WebhookID, URL: example.WebhookURL, Events: webhook.DefaultEvents(),
		Status: "active", CreatedAt: wire.TimeOf(example.Time()), Retries: webhook.Short, Dialect: webhook.Ours, Mode: config.Live,
	}
}

func exampleDelivery() delivery {
	status, at := int32(200), wire.TimeOf(example.Time())
	return delivery{
		ID: example.DeliveryID, WebhookID: example.WebhookID, Event: charge.EventConfirmed,
		ResourceID: example.ChargeID, Status: webhook.Delivered, HTTPStatus: &status, Attempts: 1,
		Payload:   json.RawMessage(`{"event":"charge.confirmed","data":{"id":"` + example.ChargeID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`),
		CreatedAt: at, LastAttemptAt: &at, DeliveredAt: &at,
	}
}

func examplePing() delivery {
	d := exampleDelivery()
	d.Event, d.ResourceID, d.Status, d.HTTPStatus, d.Attempts = webhook.EventPing, d.ID, webhook.Pending, nil, 0
	d.Payload = json.RawMessage(`{"event":"ping","data":{"id":"` + d.ID + `","webhook_id":"` + d.WebhookID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`)
	d.NextAttemptAt, d.LastAttemptAt, d.DeliveredAt = d.LastAttemptAt, nil, nil
	return d
}
