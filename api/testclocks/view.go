package testclocks

import (
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

// objectName is what Stripe calls a test clock.
const objectName = "test_helpers.test_clock"

// view is a test clock as Stripe shows one. Times are whole seconds since 1970.
type view struct {
	ID            string  `json:"id"`
	Object        string  `json:"object"`
	Created       int64   `json:"created"`
	DeletesAfter  int64   `json:"deletes_after"`
	FrozenTime    int64   `json:"frozen_time"`
	Livemode      bool    `json:"livemode"`
	Name          *string `json:"name"`
	Status        string  `json:"status"`
	StatusDetails details `json:"status_details"`
}

// details is empty but for a clock that is advancing.
type details struct {
	Advancing *advancing `json:"advancing,omitempty"`
}

type advancing struct {
	TargetFrozenTime int64 `json:"target_frozen_time"`
}

func viewOf(c db.TestClock) view {
	v := view{
		ID: c.ID, Object: objectName, Created: c.CreatedAt.Unix(), DeletesAfter: c.DeletesAfter.Unix(), FrozenTime: c.FrozenTime.Unix(),
		Name: c.Name, Status: c.Status,
	}
	if c.TargetTime != nil {
		v.StatusDetails.Advancing = &advancing{TargetFrozenTime: c.TargetTime.Unix()}
	}
	return v
}

// list is a page of clocks, the newest first.
type list struct {
	Object  string `json:"object"`
	Data    []view `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

// deleted is what is left of a clock.
type deleted struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

// endOfTime is after every clock that was made.
func endOfTime() time.Time { return time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC) }
