package webhooks

import (
	"context"
	"errors"
	"slices"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// maxFeedPage is the maximum number of events on a page of the feed.
const maxFeedPage = 100

type feedEvent struct {
	Cursor    string    `json:"cursor" doc:"Place of the event in the feed: the events after it are asked for with it" example:"17-1762423200000"`
	Type      string    `json:"type" doc:"Name of the event" example:"charge.confirmed"`
	Body      string    `json:"body" doc:"The exact bytes of its webhook's body, as text"`
	CreatedAt wire.Time `json:"created_at" doc:"When it happened"`
}

type feedPage struct {
	Events []feedEvent `json:"events" doc:"Oldest first"`
	Next   *string     `json:"next" doc:"Cursor to go on from, also where no event is shown; null while there was none" example:"17-1762423200000"`
	More   bool        `json:"more" doc:"Whether there is more after this already"`
}

func (h *Handler) listEvents(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[feedPage], error) {
	query := postgres.FeedQuery{MerchantID: caller.MerchantID, Mode: caller.Mode}
	var err error
	if query.Limit, err = in.Limit(maxFeedPage); err != nil {
		return nil, err
	}
	after, given, err := in.Single("after")
	if err != nil {
		return nil, err
	}
	if given && after == "" {
		return nil, errNoCursor()
	}
	query.After = after
	if query.Types, err = typesFor(caller, in); err != nil {
		return nil, err
	}
	found, err := h.Store.Feed(ctx, query)
	switch {
	case errors.Is(err, postgres.ErrFeedCursor):
		return nil, errNoCursor()
	case errors.Is(err, postgres.ErrFeedLost):
		return nil, httpapi.Gone("the feed does not go on from this cursor: begin anew without after")
	case err != nil:
		return nil, err
	}
	page := feedPage{Events: make([]feedEvent, 0, len(found.Events)), More: found.More}
	if found.Next != "" {
		page.Next = &found.Next
	}
	for _, e := range found.Events {
		page.Events = append(page.Events, feedEvent{e.Cursor, e.Type, e.Body, wire.TimeOf(e.CreatedAt)})
	}
	return httpapi.With(page, nil)
}

func errNoCursor() error { return httpapi.BadRequest("after must be the cursor of an event") }

// typesFor returns the event types that a request asks for, or all types if it names none. It
// leaves out types that the key may not view.
func typesFor(caller access.Key, in *struct{ httpapi.Query }) ([]string, error) {
	asked, err := in.All("type")
	if err != nil {
		return nil, err
	}
	for _, name := range asked {
		if !webhook.IsEvent(name) {
			return nil, httpapi.BadRequest("type must be the name of an event")
		}
	}
	if len(asked) == 0 {
		asked = webhook.Events()
	}
	return slices.DeleteFunc(asked, func(name string) bool { return !caller.MayView(name) }), nil
}
