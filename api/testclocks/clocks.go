package testclocks

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/testclock"
	"github.com/durapay/durapay/workflows"
)

// maxKey is the longest idempotency key, as at Stripe.
const maxKey = 255

// one names a clock.
type one struct {
	request.FromClient

	ID string `path:"id"`
}

// key is the idempotency key of a request, empty for none.
func key(from *request.FromClient) (string, error) {
	text := from.Remote().Header.Get("Idempotency-Key")
	if len(text) > maxKey {
		return "", invalid("", "", "Keys for idempotent requests may only be up to %d characters in length.", maxKey)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", invalid("", "", "Keys for idempotent requests must be UTF-8.")
	}
	return text, nil
}

// create makes a clock. A request that is repeated with its key gets the same one.
func (s *surface) create(ctx context.Context, caller auth.Key, in *request.FromClient) (*answer.Out[view], error) {
	sent := params(request.InputsOf(ctx))
	if err := sent.check("frozen_time", "name"); err != nil {
		return nil, err
	}
	now := s.clock()
	row := db.InsertTestClockParams{
		ID: secret.NewID("clock_"), MerchantID: caller.MerchantID, CreatedAt: now, DeletesAfter: now.Add(testclock.Life),
	}
	var err error
	if row.FrozenTime, err = sent.time("frozen_time"); err != nil {
		return nil, err
	}
	if name := sent.text("name"); name != "" {
		row.Name = &name
	}
	if row.Name != nil && len(*row.Name) > testclock.MaxName {
		return nil, invalid("name", "", "name must have at most %d bytes", testclock.MaxName)
	}
	idempotent, err := key(in)
	if err != nil {
		return nil, err
	}
	if idempotent != "" {
		row.IdempotencyKey = &idempotent
	}
	var made db.TestClock
	err = auth.ChangeByKey(ctx, s.store, caller, func(q *db.Queries) error {
		made, err = insert(ctx, q, row)
		return err
	})
	return answer.With(viewOf(made), err)
}

// insert makes a clock while the merchant's row is held, or finds the one that the
// request's key made before.
func insert(ctx context.Context, q *db.Queries, row db.InsertTestClockParams) (db.TestClock, error) {
	if row.IdempotencyKey != nil {
		before, err := q.TestClockByKey(ctx, db.TestClockByKeyParams{MerchantID: row.MerchantID, IdempotencyKey: *row.IdempotencyKey})
		if err == nil {
			return before, repeats(row, before)
		}
		if !postgres.IsNotFound(err) {
			return before, err
		}
	}
	clocks, err := q.CountTestClocks(ctx, db.CountTestClocksParams{MerchantID: row.MerchantID, Now: row.CreatedAt})
	if err != nil {
		return db.TestClock{}, err
	}
	if clocks >= testclock.MaxOfMerchant {
		return db.TestClock{}, invalid("", "", "You have %d test clocks, which is as many as there can be; delete one first", clocks)
	}
	return q.InsertTestClock(ctx, row)
}

// repeats refuses a key that made another clock, or one that is deleted.
func repeats(row db.InsertTestClockParams, before db.TestClock) error {
	var text string
	switch {
	case !before.FirstTime.Equal(row.FrozenTime) || stringOf(before.Name) != stringOf(row.Name):
		text = "Keys for idempotent requests can only be used with the same parameters they were first used with."
	case before.DeletedAt != nil || !before.DeletesAfter.After(row.CreatedAt):
		text = "The test clock that was made with this idempotency key is deleted."
	default:
		return nil
	}
	return &problem{status: 400, detail: detail{Message: text, Type: idempotencyType}}
}

func stringOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func (s *surface) get(ctx context.Context, caller auth.Key, in *one) (*answer.Out[view], error) {
	row, err := s.find(ctx, caller, "", in.ID)
	return answer.With(viewOf(row), err)
}

// find reads a clock of the caller; param is what named it.
func (s *surface) find(ctx context.Context, caller auth.Key, param, id string) (db.TestClock, error) {
	if !request.PlainID(id, "clock_") {
		return db.TestClock{}, missing(param, id)
	}
	row, err := s.store.GetTestClock(ctx, db.GetTestClockParams{ID: id, MerchantID: caller.MerchantID, Now: s.clock()})
	if postgres.IsNotFound(err) {
		return row, missing(param, id)
	}
	return row, err
}

func (s *surface) list(ctx context.Context, caller auth.Key, in *request.FromClient) (*answer.Out[list], error) {
	sent := params(in.Remote().URL.Query())
	if err := sent.check("limit", "starting_after", "ending_before"); err != nil {
		return nil, err
	}
	limit, err := sent.limit()
	if err != nil {
		return nil, err
	}
	after, before := sent.text("starting_after"), sent.text("ending_before")
	if after != "" && before != "" {
		return nil, invalid("", "", "Specify only one of starting_after and ending_before")
	}
	rows, err := s.page(ctx, caller, after, before, limit+1)
	if err != nil {
		return nil, err
	}
	out := list{Object: "list", Data: []view{}, URL: path, HasMore: len(rows) > int(limit)}
	for _, row := range rows[:min(len(rows), int(limit))] {
		out.Data = append(out.Data, viewOf(row))
	}
	if before != "" {
		slices.Reverse(out.Data)
	}
	return answer.With(out, nil)
}

// page reads clocks, the newest first after one, or the oldest first that are newer
// than another. Both are identifiers, or empty.
func (s *surface) page(ctx context.Context, caller auth.Key, after, before string, most int32) ([]db.TestClock, error) {
	if before != "" {
		from, err := s.find(ctx, caller, "ending_before", before)
		if err != nil {
			return nil, err
		}
		return s.store.ListTestClocksBack(ctx, db.ListTestClocksBackParams{
			MerchantID: caller.MerchantID, Now: s.clock(), AfterTime: from.CreatedAt, AfterID: from.ID, Most: most,
		})
	}
	asked := db.ListTestClocksParams{MerchantID: caller.MerchantID, Now: s.clock(), BeforeTime: endOfTime(), Most: most}
	if after != "" {
		from, err := s.find(ctx, caller, "starting_after", after)
		if err != nil {
			return nil, err
		}
		asked.BeforeTime, asked.BeforeID = from.CreatedAt, from.ID
	}
	return s.store.ListTestClocks(ctx, asked)
}

// advance moves a clock. It is advancing when this returns, or ready already.
func (s *surface) advance(ctx context.Context, caller auth.Key, in *one) (*answer.Out[view], error) {
	sent := params(request.InputsOf(ctx))
	if err := sent.check("frozen_time"); err != nil {
		return nil, err
	}
	to, err := sent.time("frozen_time")
	if err != nil {
		return nil, err
	}
	idempotent, err := key(&in.FromClient)
	if err != nil {
		return nil, err
	}
	if _, err := s.find(ctx, caller, "", in.ID); err != nil {
		return nil, err
	}
	clock := workflows.TestClockInput{ClockID: in.ID, MerchantID: caller.MerchantID}
	if err := s.start.AdvanceTestClock(ctx, clock, workflows.AdvanceClock{To: to, Key: idempotent}); err != nil {
		if refusals.Is(err, refusals.Clock) {
			return nil, invalid("frozen_time", "", "%s", refusals.Text(err))
		}
		return nil, err
	}
	return s.get(ctx, caller, in)
}

// remove deletes a clock. Charges that wait by it expire.
func (s *surface) remove(ctx context.Context, caller auth.Key, in *one) (*answer.Out[deleted], error) {
	if _, err := s.find(ctx, caller, "", in.ID); err != nil {
		return nil, err
	}
	err := s.start.DeleteTestClock(ctx, workflows.TestClockInput{ClockID: in.ID, MerchantID: caller.MerchantID})
	return answer.With(deleted{ID: in.ID, Object: objectName, Deleted: true}, err)
}
