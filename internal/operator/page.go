package operator

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxRows is the maximum number of rows on a page.
const MaxRows = 200

// Page asks for a part of a list whose rows have numbers.
type Page struct {
	// Cursor is the NextCursor of the previous page; 0 for the first.
	Cursor int64
	// Limit is 1 to MaxRows.
	Limit int32
}

// before returns the cursor of a list with the newest first.
func (p Page) before() int64 {
	if p.Cursor == 0 {
		return math.MaxInt64
	}
	return p.Cursor
}

// next returns the cursor of the next page; nil on the last.
func next[R any](p Page, rows []R, id func(R) int64) *int64 {
	if len(rows) < int(p.Limit) {
		return nil
	}
	last := id(rows[len(rows)-1])
	return &last
}

// TimePage asks for a part of a list whose rows have no numbers. Its cursor is the time and the
// identifier of the last row of the previous page.
type TimePage struct {
	// Cursor is the NextCursor of the previous page; empty for the first.
	Cursor string
	// Limit is 1 to MaxRows.
	Limit int32
}

// endOfTime is later than the creation of any row.
func endOfTime() time.Time { return time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC) }

// before returns where the page begins. The row may have left the list meanwhile.
func (p TimePage) before() (at time.Time, id string, err error) {
	if p.Cursor == "" {
		return endOfTime(), "", nil
	}
	moment, id, found := strings.Cut(p.Cursor, ".")
	micros, err := strconv.ParseInt(moment, 10, 64)
	if err != nil || !found || micros < 1 || micros > endOfTime().UnixMicro() || !utf8.ValidString(id) || strings.ContainsRune(id, 0) {
		return time.Time{}, "", refuse("cursor must be the next_cursor of a page")
	}
	return time.UnixMicro(micros), id, nil
}

// after returns the cursor of the next page; nil on the last.
func after[R any](p TimePage, rows []R, place func(R) (time.Time, string)) *string {
	n := len(rows)
	if n == 0 || n < int(p.Limit) {
		return nil
	}
	at, id := place(rows[n-1])
	cursor := strconv.FormatInt(at.UnixMicro(), 10) + "." + id
	return &cursor
}

// Filter selects rows of a list. At most one of its fields is set, because one index finds the
// rows.
type Filter struct {
	// Status is the status of the rows; empty for any.
	Status string
	// MerchantID is the merchant of the rows; empty for any.
	MerchantID string
}

// statuses returns the statuses to look for among all of a kind.
func (f Filter) statuses(all []string) ([]string, error) {
	switch {
	case f.Status != "" && f.MerchantID != "":
		return nil, refuse("give status or merchant_id, not both")
	case f.Status == "":
		return all, nil
	}
	for _, known := range all {
		if f.Status == known {
			return []string{known}, nil
		}
	}
	return nil, refuse("status must be one of: %s", strings.Join(all, ", "))
}
