package trade

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/wire"
)

// The name of the event and the headers of a status webhook.
const (
	EventName       = "swap.status_changed"
	EventHeader     = "X-SWAP-EVENT"
	SignatureHeader = "X-SWAP-SIGNATURE"
)

// Event is the body of a status webhook.
type Event struct {
	ID         string    `json:"id"          doc:"Trade"`
	Status     Status    `json:"status"      doc:"Status that the trade has now"`
	PrevStatus Status    `json:"prev_status" doc:"Status that it had before"`
	OccurredAt wire.Time `json:"occurred_at" doc:"When the status changed"`
}

// EventBody returns the exact body of every delivery of a transition.
func EventBody(tradeID string, change Transition, at time.Time) ([]byte, error) {
	body, err := json.Marshal(Event{ID: tradeID, Status: change.To, PrevStatus: change.From, OccurredAt: wire.TimeOf(at)})
	if err != nil {
		return nil, fmt.Errorf("event body: %w", err)
	}
	return body, nil
}
