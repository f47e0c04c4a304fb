// Package webhook holds the rules of event delivery: which events exist, the body
// of a delivery, how it is signed, and when a failed attempt is retried. It does no
// input or output.
//
// Merchants' webhooks and the events of trades for partners are delivered by
// one workflow and one activity. The same for both are the attempts, the
// signature, the redelivery and the ends. Four things stay apart:
//
//   - The [Policy], since the contracts promise different pauses, and merchants may
//     choose among some.
//   - The row. A merchant's delivery belongs to a webhook, which the merchant can
//     delete. An event belongs to a trade, whose details hold the address.
//   - The headers, since the contracts name them differently.
//   - The first attempt. The run of the trade or of the charge makes it. Deliveries of
//     payouts and refunds make their own.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/wire"
)

// Names of events that are not of a charge.
const (
	EventPayoutSent      = "payout.sent"
	EventPing            = "ping"
	EventRefundCreated   = "refund.created"
	EventRefundClaimed   = "refund.claimed"
	EventRefundSent      = "refund.sent"
	EventRefundConfirmed = "refund.confirmed"
)

// SignatureHeader carries the signature of a delivery's body.
const SignatureHeader = "X-MERCHANT-SIGNATURE"

// Events returns the names that a webhook can subscribe to.
func Events() []string {
	return []string{
		charge.EventCreated, charge.EventPending, charge.EventConfirmed,
		charge.EventLateConfirmed, charge.EventExpired, EventPayoutSent,
		EventRefundCreated, EventRefundClaimed, EventRefundSent, EventRefundConfirmed,
	}
}

// Host returns the host of a receiver's address, with its port; empty for what is no address. Mails, and
// the log that a key of an application reads, have no more of it, because the rest may hold a secret.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// DefaultEvents is the subscription of a webhook that names none.
func DefaultEvents() []string { return []string{charge.EventConfirmed, charge.EventExpired} }

// IsEvent reports whether a webhook can subscribe to this name.
func IsEvent(name string) bool { return slices.Contains(Events(), name) }

// Body is the exact body of every delivery of an event.
func Body(event string, data any, at time.Time) ([]byte, error) {
	body, err := json.Marshal(struct {
		Event     string    `json:"event"`
		Data      any       `json:"data"`
		Timestamp wire.Time `json:"timestamp"`
	}{event, data, wire.TimeOf(at)})
	if err != nil {
		return nil, fmt.Errorf("event body: %w", err)
	}
	return body, nil
}

// Sign is the lowercase hex HMAC-SHA256 of the body, keyed by the text of the
// webhook's secret.
func Sign(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// Receiver is the kind of receiver of a delivery, and so the table of its row.
type Receiver string

// The receivers.
const (
	// Merchant receives events by a webhook. The delivery's identifier begins with whd_.
	Merchant Receiver = "merchant"
	// Partner receives the statuses of a trade. The delivery's identifier is the
	// number of the event, in decimal.
	Partner Receiver = "partner"
)

// Status is where a delivery stands.
type Status string

// The states of a delivery. Pending means that another attempt follows. Failed
// and Dropped are dead letters: the first used all its attempts up, the second
// must not be sent.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
	Dropped   Status = "dropped"
)

// standardPrefix may stand before a secret of Standard Webhooks.
const standardPrefix = "whsec_"

// StandardSignature are the headers of Standard Webhooks 1.0.0
// (https://github.com/standard-webhooks/standard-webhooks), so that its libraries
// verify a delivery. They take a secret as base64. The 64 hex digits of ours are
// base64 too: a merchant gives the library whsec_ and the secret. (Some libraries take
// a secret without that prefix for raw text.) A secret that is no base64 gets no headers.
//
// id is the same for every attempt of a delivery; at is the attempt's own time, in
// whole seconds.
func StandardSignature(secret, id string, at time.Time, body []byte) map[string]string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, standardPrefix))
	if err != nil {
		return nil
	}
	seconds := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + seconds + "."))
	mac.Write(body)
	return map[string]string{
		"Webhook-Id": id, "Webhook-Timestamp": seconds, "Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	}
}
