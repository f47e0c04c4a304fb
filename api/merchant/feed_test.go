package merchant_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type feed struct {
	Events []struct {
		Body string `json:"body"`
	} `json:"events"`
	Next *string `json:"next"`
	More bool    `json:"more"`
}

func (b *bench) feed(t *testing.T, apiKey string, query url.Values) feed {
	t.Helper()
	var f feed
	a := b.send(t, http.MethodGet, "/api/events?"+query.Encode(), key(apiKey), "").require(t, http.StatusOK)
	require.NoError(t, json.Unmarshal([]byte(a.body), &f))
	return f
}

// bodies returns the bodies of all events after a cursor, read page by page like a client.
func (b *bench) bodies(t *testing.T, apiKey string, query url.Values) (all []string, next string) {
	t.Helper()
	for {
		page := b.feed(t, apiKey, query)
		for _, e := range page.Events {
			all = append(all, e.Body)
		}
		if page.Next != nil {
			query.Set("after", *page.Next)
			next = *page.Next
		}
		if !page.More {
			return all, next
		}
	}
}

// happens records an event in a transaction, and returns a unique part of its body.
func (b *bench) happens(t *testing.T, q *db.Queries, s shop, mode config.Mode, name string) string {
	t.Helper()
	id := secret.NewID("ch_")
	_, err := chargestore.Record(t.Context(), q, chargestore.Event{
		MerchantID: s.id, Mode: mode, Type: name, ResourceID: id, Data: map[string]string{"id": id}, At: b.clock.Now(),
	})
	require.NoError(t, err)
	return `"id":"` + id + `"`
}

// TestTheFeedHasEachEventOnceInItsOrder reads the events in pages of every size, of one mode and
// of some types.
func TestTheFeedHasEachEventOnceInItsOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	empty := b.feed(t, s.live, nil)
	require.Empty(t, empty.Events)
	require.NotNil(t, empty.Events)
	require.Nil(t, empty.Next)
	require.False(t, empty.More)

	names := []string{"charge.created", "charge.pending", "charge.confirmed"}
	var want []string
	for n := range 25 {
		b.clock.advance(time.Second)
		want = append(want, b.happens(t, b.store.Queries, s, config.Live, names[n%3]))
		b.happens(t, b.store.Queries, s, config.Sandbox, "charge.created")
		b.happens(t, b.store.Queries, other, config.Live, "charge.created")
	}
	for _, limit := range []int{1, 2, 7, 24, 25, 26, 100, 101} {
		got, next := b.bodies(t, s.live, url.Values{"limit": {strconv.Itoa(limit)}})
		requireBodies(t, want, got)
		again := b.feed(t, s.live, url.Values{"after": {next}})
		require.Empty(t, again.Events)
		require.Equal(t, next, *again.Next, "a reader who is through stays there")
	}
	for n, name := range names {
		got, _ := b.bodies(t, s.live, url.Values{"type": {name}, "limit": {"2"}})
		var some []string
		for i := n; i < len(want); i += 3 {
			some = append(some, want[i])
		}
		requireBodies(t, some, got)
	}
	sandbox, _ := b.bodies(t, s.test, url.Values{})
	require.Len(t, sandbox, 25)

	// The body has exactly the bytes that a webhook gets.
	var payload string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(),
		"SELECT payload FROM events WHERE merchant_id = $1 AND mode = 'live' ORDER BY id LIMIT 1", s.id).Scan(&payload))
	require.Equal(t, payload, b.feed(t, s.live, url.Values{"limit": {"1"}}).Events[0].Body)

	// The cursor of one feed is not valid in another.
	b.clock.advance(time.Hour)
	b.happens(t, b.store.Queries, other, config.Live, "charge.created")
	_, theirs := b.bodies(t, other.live, url.Values{})
	b.send(t, http.MethodGet, "/api/events?after="+theirs, key(s.live), "").require(t, http.StatusGone)
	b.send(t, http.MethodGet, "/api/events?after="+theirs, key(other.test), "").require(t, http.StatusGone)
}

func requireBodies(t *testing.T, want, got []string) {
	t.Helper()
	require.Len(t, got, len(want))
	for n := range want {
		require.Contains(t, got[n], want[n], n)
	}
}

// TestAnEventThatIsCommittedLateIsNotSteppedOver commits the transaction that began first last.
// A reader who has already read the other event gets the late one after it.
func TestAnEventThatIsCommittedLateIsNotSteppedOver(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	slow, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = slow.Rollback(t.Context()) }()
	first := b.happens(t, b.store.WithTx(slow), s, config.Live, "charge.created")
	second := b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	got, next := b.bodies(t, s.live, url.Values{})
	requireBodies(t, []string{second}, got)
	require.NoError(t, slow.Commit(t.Context()))
	got, _ = b.bodies(t, s.live, url.Values{"after": {next}})
	requireBodies(t, []string{first}, got)
	got, _ = b.bodies(t, s.live, url.Values{})
	requireBodies(t, []string{second, first}, got)
}

// TestReadersAtOnceSeeOneOrder lets several readers follow the feed while events are recorded.
func TestReadersAtOnceSeeOneOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	const events, readers = 120, 6
	seen := make([][]string, readers)
	var group sync.WaitGroup
	for n := range readers {
		group.Go(func() {
			query := url.Values{"limit": {strconv.Itoa(n + 1)}}
			for len(seen[n]) < events {
				more, _ := b.bodies(t, s.live, query)
				seen[n] = append(seen[n], more...)
			}
		})
	}
	for range 3 {
		group.Go(func() {
			for range events / 3 {
				b.happens(t, b.store.Queries, s, config.Live, "charge.created")
			}
		})
	}
	group.Wait()
	for n := range readers {
		require.Equal(t, seen[0], seen[n])
	}
	distinct := map[string]bool{}
	for _, body := range seen[0] {
		distinct[body] = true
	}
	require.Len(t, distinct, events)
}

// TestAFeedThatDoesNotGoOnSaysSo removes events like retention, and resets the database like a
// restore.
func TestAFeedThatDoesNotGoOnSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	var cursors []string
	for range 6 {
		b.clock.advance(time.Second)
		b.happens(t, b.store.Queries, s, config.Live, "charge.created")
		page := b.feed(t, s.live, url.Values{})
		cursors = append(cursors, *page.Next)
	}
	after := func(cursor string) answer {
		return b.send(t, http.MethodGet, "/api/events?after="+cursor, key(s.live), "")
	}
	b.exec(t, "DELETE FROM events WHERE merchant_id = $1 AND place <= 3", s.id)
	after(cursors[1]).require(t, http.StatusGone, "the third event was never read")
	after(cursors[2]).require(t, http.StatusOK, "all after it are kept")
	got, _ := b.bodies(t, s.live, url.Values{})
	require.Len(t, got, 3)
	b.exec(t, "DELETE FROM events WHERE merchant_id = $1", s.id)
	after(cursors[4]).require(t, http.StatusGone)
	after(cursors[5]).require(t, http.StatusOK)
	require.Empty(t, b.feed(t, s.live, nil).Events)
	late := b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	got, _ = b.bodies(t, s.live, url.Values{"after": {cursors[5]}})
	requireBodies(t, []string{late}, got)

	// A cursor is also refused if an event after it was removed before any client read it.
	_, next := b.bodies(t, s.live, url.Values{})
	for range 2 {
		b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	}
	var unread []int64
	require.NoError(t, b.store.Pool().QueryRow(t.Context(),
		"SELECT array_agg(id ORDER BY id) FROM events WHERE merchant_id = $1 AND place IS NULL", s.id).Scan(&unread))
	require.Len(t, unread, 2)
	require.NoError(t, b.store.RemoveEvents(t.Context(), unread[:1]))
	after(next).require(t, http.StatusGone)
	got, _ = b.bodies(t, s.live, url.Values{})
	require.Len(t, got, 2)

	// An older copy of the database has fewer events, and later puts other events in their places.
	b.exec(t, "DELETE FROM events WHERE merchant_id = $1", s.id)
	b.exec(t, "UPDATE event_feeds SET last = 4 WHERE merchant_id = $1", s.id)
	after(cursors[5]).require(t, http.StatusGone)
	for range 2 {
		b.clock.advance(time.Second)
		b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	}
	after(cursors[5]).require(t, http.StatusGone)
	got, _ = b.bodies(t, s.live, url.Values{})
	require.Len(t, got, 2)
}

func TestTheFeedRefusesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	b.feed(t, s.live, nil)
	for _, query := range []string{
		"after=", "after=x", "after=1", "after=0-1", "after=-1-1", "after=01-1", "after=1-1-1", "after=9223372036854775808-1", "after=1-1&after=1-1",
		"limit=0", "limit=-1", "limit=x", "type=ping", "type=", "type=charge", "type=charge.created&type=x", "type=%ff",
	} {
		b.send(t, http.MethodGet, "/api/events?"+query, key(s.live), "").require(t, http.StatusBadRequest, query)
	}
	b.send(t, http.MethodGet, "/api/events", anonymous(), "").require(t, http.StatusUnauthorized)
	b.send(t, http.MethodGet, "/api/events", session(s.token), "").require(t, http.StatusUnauthorized)

	// An application sees only the payout events that it may view.
	b.happens(t, b.store.Queries, s, config.Live, "payout.sent")
	views := b.grant(t, s, "live", permission.ViewInvoices).text(t, "key")
	got, _ := b.bodies(t, views, url.Values{})
	require.Len(t, got, 1)
	got, _ = b.bodies(t, s.live, url.Values{})
	require.Len(t, got, 2)
	require.Empty(t, b.feed(t, views, url.Values{"type": {"payout.sent"}}).Events)
}

// TestRetentionAndReadersTakeLocksInOneOrder removes events while a reader gives them their
// places. Neither fails, and no place in the feed is used twice.
func TestRetentionAndReadersTakeLocksInOneOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	b.feed(t, s.live, nil)
	b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	unread := rowsOf[int64](t, b, "SELECT id FROM events WHERE merchant_id = '"+s.id+"' AND place IS NULL ORDER BY id")
	require.Len(t, unread, 2)
	removed := make(chan error, 1)
	require.NoError(t, pgx.BeginFunc(t.Context(), b.store.Pool(), func(reader pgx.Tx) error {
		q := b.store.WithTx(reader)
		last, err := q.HoldEventFeed(t.Context(), db.HoldEventFeedParams{MerchantID: s.id, Mode: "live"})
		require.NoError(t, err)
		go func() { removed <- b.store.RemoveEvents(t.Context(), unread) }()
		pgtest.AwaitBlocked(t, b.store, reader, 1)
		n, err := q.NumberEvents(t.Context(), db.NumberEventsParams{MerchantID: s.id, Mode: "live", Limit: 10})
		require.NoError(t, err)
		require.EqualValues(t, 2, n)
		return q.SetEventFeed(t.Context(), db.SetEventFeedParams{Last: last + n, MerchantID: s.id, Mode: "live"})
	}))
	require.NoError(t, await(t, removed))
	late := b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	got, _ := b.bodies(t, s.live, url.Values{})
	requireBodies(t, []string{late}, got[len(got)-1:])
	require.Equal(t, []int64{1, 4}, rowsOf[int64](t, b, "SELECT place FROM events WHERE merchant_id = '"+s.id+"' ORDER BY place"))
}

// TestAnEventThatIsRemovedGetsNoPlace checks that a reader waits for an event that is being
// removed, and then counts without it.
func TestAnEventThatIsRemovedGetsNoPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for range 3 {
		b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	}
	unread := rowsOf[int64](t, b, "SELECT id FROM events WHERE merchant_id = '"+s.id+"' ORDER BY id")
	read := make(chan error, 1)
	require.NoError(t, pgx.BeginFunc(t.Context(), b.store.Pool(), func(retention pgx.Tx) error {
		require.NoError(t, b.store.WithTx(retention).DeleteEvents(t.Context(), unread[1:2]))
		go func() {
			_, err := b.store.Feed(t.Context(), postgres.FeedQuery{MerchantID: s.id, Mode: config.Live, Limit: 1})
			read <- err
		}()
		pgtest.AwaitBlocked(t, b.store, retention, 1)
		return nil
	}))
	require.NoError(t, await(t, read))
	b.happens(t, b.store.Queries, s, config.Live, "charge.created")
	b.feed(t, s.live, nil)
	require.Equal(t, []int64{1, 2, 3}, rowsOf[int64](t, b, "SELECT place FROM events WHERE merchant_id = '"+s.id+"' ORDER BY place"))
}
