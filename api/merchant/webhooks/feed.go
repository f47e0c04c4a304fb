package webhooks

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/permission"
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

func (h *Handler) registerFeed(api operation.API) {
	names := webhook.Events()
	options := make([]any, len(names))
	for i, name := range names {
		options[i] = name
	}
	next := "17-1762423200000"
	operation.WithKey(api, operation.Route{
		ID: "listEvents", Permission: permission.ViewInvoices, Method: http.MethodGet, Path: "/api/events", Tag: operation.TagWebhooks,
		Summary: "Read the feed of events",
		Text: "What webhooks tell, to be fetched: every event of the key's mode once, in an order that never changes, whether a webhook heard it or not. " +
			"Begin without `after` and go on with `next`, while `more` is true at once, else after a pause. An event is kept as long as the log of " +
			"deliveries. 410 says that the feed does not go on from the cursor: what came after it is not kept any more, or the service was restored " +
			"from a backup; begin anew, and compare with your charges. A key of an application sees the events that it may view.",
		Query: []*huma.Param{
			httpapi.LimitParam(maxFeedPage),
			{Name: "after", In: "query", Description: "Cursor of an event, or `next`. From the oldest event by default.", Schema: &huma.Schema{Type: huma.TypeString}},
			{
				Name: "type", In: "query", Description: "Only events of this name; may be given several times. All by default.",
				Schema: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Enum: options}},
			},
		},
		Errors: []int{http.StatusBadRequest, http.StatusGone},
		Response: feedPage{[]feedEvent{{
			Cursor: next, Type: "charge.confirmed", Body: `{"event":"charge.confirmed","data":{},"timestamp":"2025-11-06T10:00:00.000Z"}`,
			CreatedAt: wire.TimeOf(example.Time()),
		}}, &next, false},
	}, h.listEvents)
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
