package receiver

import (
	"encoding/json"
	"fmt"
	"time"
)

// Headers and the kind of the exchange's events.
const (
	swapSignature = "X-SWAP-SIGNATURE"
	swapEvent     = "X-SWAP-EVENT"
	swapChanged   = "swap.status_changed"
)

// SwapEvent is the body of an event of the swap exchange.
type SwapEvent struct {
	ID         string    `json:"id"`
	Status     string    `json:"status"`
	PrevStatus string    `json:"prev_status"`
	OccurredAt time.Time `json:"occurred_at"`
}

// Swap is the event of the exchange that a request carries. It is an error
// unless the event is signed under the partner's secret and named rightly.
func (q Request) Swap(secret string) (SwapEvent, error) {
	var event SwapEvent
	if err := json.Unmarshal(q.Body, &event); err != nil {
		return event, fmt.Errorf("an event of the exchange: %w", err)
	}
	if kind := q.Header.Get(swapEvent); kind != swapChanged {
		return event, fmt.Errorf("the event of %s is named %q", event.ID, kind)
	}
	if !q.signedBy(q.Header.Get(swapSignature), secret) {
		return event, fmt.Errorf("the signature of %s of %s is wrong", event.Status, event.ID)
	}
	return event, nil
}

// SwapIs accepts the event in which a trade has come to a status.
func SwapIs(id, status string) func(Request) bool {
	return func(q Request) bool {
		var event SwapEvent
		return json.Unmarshal(q.Body, &event) == nil && event.ID == id && event.Status == status
	}
}

// SwapEvents are the events of a trade in the order in which they arrived,
// each verified.
func (r *Receiver) SwapEvents(id, secret string) ([]SwapEvent, error) {
	var list []SwapEvent
	for _, q := range r.Requests() {
		event, err := q.Swap(secret)
		if err != nil {
			return nil, err
		}
		if event.ID == id {
			list = append(list, event)
		}
	}
	return list, nil
}
