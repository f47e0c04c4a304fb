package wire

import (
	"encoding/json"
	"fmt"
	"time"
)

// TimeLayout is the form of every timestamp that leaves the service.
const TimeLayout = "2006-01-02T15:04:05.000Z"

const quotedLayout = `"` + TimeLayout + `"`

// Time is a moment in the JSON of the API.
type Time time.Time

// TimeOf converts a moment.
func TimeOf(t time.Time) Time { return Time(t) }

// TimeOrNil converts a moment that may be missing.
func TimeOrNil(t *time.Time) *Time {
	if t == nil {
		return nil
	}
	v := Time(*t)
	return &v
}

// String is the moment in Layout.
func (t Time) String() string { return time.Time(t).UTC().Format(TimeLayout) }

// MarshalJSON writes the moment in Layout.
func (t Time) MarshalJSON() ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(make([]byte, 0, len(quotedLayout)), quotedLayout), nil
}

// UnmarshalJSON reads any RFC 3339 moment.
func (t *Time) UnmarshalJSON(b []byte) error {
	var text *string
	if err := json.Unmarshal(b, &text); err != nil || text == nil {
		return fmt.Errorf("not a timestamp")
	}
	v, err := ParseTime(*text)
	if err != nil {
		return err
	}
	*t = Time(v)
	return nil
}

// ParseTime reads an RFC 3339 moment with any offset, in seconds or fractions.
func ParseTime(s string) (time.Time, error) {
	v, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("not an ISO 8601 timestamp with an offset")
	}
	return v.UTC(), nil
}
