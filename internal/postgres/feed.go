package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
)

// feedWindow is the number of events that one page examines, however many of them it
// returns.
const feedWindow = 1000

// ErrFeedCursor means that a text is not a cursor. ErrFeedLost means that the events after
// a cursor are no longer stored, or that the cursor was made for other events: the database
// was restored from an older copy.
var (
	ErrFeedCursor = errors.New("no cursor of the feed")
	ErrFeedLost   = errors.New("the feed does not go on from this cursor")
)

// FeedQuery selects a part of a feed.
type FeedQuery struct {
	MerchantID string
	Mode       config.Mode
	// After is the cursor after which the events come; empty for the first stored event.
	After string
	// Types are the types of events to return. Limit is the maximum number of events.
	Types []string
	Limit int32
}

// FeedEvent is an event with its place in the feed.
type FeedEvent struct {
	Cursor, Type string
	// Body contains the exact bytes of its deliveries in our own format.
	Body      string
	CreatedAt time.Time
}

// FeedPage is a part of a feed, oldest first.
type FeedPage struct {
	Events []FeedEvent
	// Next is the cursor for the next page; empty while the feed has no event.
	Next string
	// More reports whether further events exist after this page.
	More bool
}

// Feed returns a part of the feed of a merchant's events of one mode. Each event is in it
// once, and its order never changes. So a reader that continues from Next misses no event,
// although transactions may commit in another order than they began. When the feed is read,
// Feed gives places to the events that are committed, under the lock of the feed.
func (s *Store) Feed(ctx context.Context, in FeedQuery) (FeedPage, error) {
	after, err := readFeedCursor(in.After)
	if err != nil {
		return FeedPage{}, err
	}
	if err := s.numberEvents(ctx, in); err != nil {
		return FeedPage{}, err
	}
	feed, err := s.GetEventFeed(ctx, db.GetEventFeedParams{MerchantID: in.MerchantID, Mode: string(in.Mode)})
	if IsNotFound(err) {
		if in.After != "" {
			return FeedPage{}, ErrFeedLost
		}
		return FeedPage{}, nil
	}
	if err != nil {
		return FeedPage{}, fmt.Errorf("feed: %w", err)
	}
	if in.After == "" {
		after.place = max(feed.First, 1) - 1
		if feed.First == 0 {
			after.place = feed.Given
		}
	} else if err := s.checkFeedCursor(ctx, in, after, feed); err != nil {
		return FeedPage{}, err
	}
	return s.feedPage(ctx, in, after.place, feed.Given)
}

// numberEvents gives places to events that have none, to as many as one page examines.
func (s *Store) numberEvents(ctx context.Context, in FeedQuery) error {
	waiting, err := s.HasUnnumberedEvents(ctx, db.HasUnnumberedEventsParams{MerchantID: in.MerchantID, Mode: string(in.Mode)})
	if err != nil || !waiting {
		return err
	}
	return s.Tx(ctx, func(q *db.Queries) error {
		last, err := q.HoldEventFeed(ctx, db.HoldEventFeedParams{MerchantID: in.MerchantID, Mode: string(in.Mode)})
		if err != nil {
			return fmt.Errorf("feed: %w", err)
		}
		numbered, err := q.NumberEvents(ctx, db.NumberEventsParams{MerchantID: in.MerchantID, Mode: string(in.Mode), Limit: feedWindow})
		if err != nil || numbered == 0 {
			return err
		}
		return q.SetEventFeed(ctx, db.SetEventFeedParams{Last: last + numbered, MerchantID: in.MerchantID, Mode: string(in.Mode)})
	})
}

// RemoveEvents removes events that no delivery needs any more. It locks the feeds first, as
// numberEvents does, so the two cannot deadlock. It leaves an event that is currently
// locked.
func (s *Store) RemoveEvents(ctx context.Context, ids []int64) error {
	return s.Tx(ctx, func(q *db.Queries) error {
		if err := q.HoldFeedsOfEvents(ctx, ids); err != nil {
			return err
		}
		locked, err := q.LockOldEvents(ctx, ids)
		if err != nil {
			return err
		}
		return q.DeleteEvents(ctx, locked)
	})
}

// checkFeedCursor refuses a cursor from another history of the database. It also refuses a
// cursor after which the next event is missing: places have no gaps except where retention
// has removed events.
func (s *Store) checkFeedCursor(ctx context.Context, in FeedQuery, after feedCursor, feed db.GetEventFeedRow) error {
	at, err := s.eventAt(ctx, in, after.place)
	switch {
	case err != nil && !IsNotFound(err):
		return err
	case err == nil && at.UnixMilli() != after.at, after.place > feed.Given:
		return ErrFeedLost
	case after.place == feed.Given:
		return nil
	}
	if _, err = s.eventAt(ctx, in, after.place+1); IsNotFound(err) {
		return ErrFeedLost
	}
	return err
}

func (s *Store) eventAt(ctx context.Context, in FeedQuery, place int64) (time.Time, error) {
	return s.EventAtPlace(ctx, db.EventAtPlaceParams{MerchantID: in.MerchantID, Mode: string(in.Mode), Place: place})
}

func (s *Store) feedPage(ctx context.Context, in FeedQuery, after, given int64) (FeedPage, error) {
	until := min(after+feedWindow, given)
	rows, err := s.EventsInFeed(ctx, db.EventsInFeedParams{
		MerchantID: in.MerchantID, Mode: string(in.Mode), After: after, Until: until, Types: in.Types, Most: in.Limit,
	})
	if err != nil {
		return FeedPage{}, fmt.Errorf("feed: %w", err)
	}
	page := FeedPage{Next: in.After}
	for _, r := range rows {
		cursor := feedCursor{r.Place, r.CreatedAt.UnixMilli()}.String()
		page.Events = append(page.Events, FeedEvent{cursor, r.Type, r.Payload, r.CreatedAt})
	}
	if len(rows) == int(in.Limit) {
		until = rows[len(rows)-1].Place
	}
	waiting, err := s.HasUnnumberedEvents(ctx, db.HasUnnumberedEventsParams{MerchantID: in.MerchantID, Mode: string(in.Mode)})
	if err != nil {
		return FeedPage{}, fmt.Errorf("feed: %w", err)
	}
	page.More = until < given || waiting
	last, err := s.LastEventInFeed(ctx, db.LastEventInFeedParams{MerchantID: in.MerchantID, Mode: string(in.Mode), After: after, Until: until})
	switch {
	case err == nil:
		page.Next = feedCursor{last.Place, last.CreatedAt.UnixMilli()}.String()
	case !IsNotFound(err):
		return FeedPage{}, fmt.Errorf("feed: %w", err)
	}
	return page, nil
}

// feedCursor is a place and the time at which its event was written (Unix milliseconds).
// The time distinguishes places of different histories of the database.
type feedCursor struct{ place, at int64 }

// String returns the cursor as clients send it.
func (c feedCursor) String() string {
	return strconv.FormatInt(c.place, 10) + "-" + strconv.FormatInt(c.at, 10)
}

func readFeedCursor(text string) (c feedCursor, err error) {
	if text == "" {
		return c, nil
	}
	place, at, _ := strings.Cut(text, "-")
	var errPlace, errAt error
	c.place, errPlace = strconv.ParseInt(place, 10, 64)
	c.at, errAt = strconv.ParseInt(at, 10, 64)
	if errPlace != nil || errAt != nil || c.place < 1 || c.String() != text {
		return c, ErrFeedCursor
	}
	return c, nil
}
