package wire_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/wire"
)

// FuzzParse: a moment that is read keeps its milliseconds when it is written
// and read again, and is written in one form.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"2026-11-21T09:30:00.123Z", "2026-11-21T09:30:00+02:00", "2026-11-21T09:30:00.123456789-11:59", "2026-11-21t09:30:00z",
		"2026-11-21T24:00:00Z", "2026-02-30T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999-23:59", "2026-11-21 09:30:00Z",
		"2026-11-21T09:30:60Z", "2026-11-21T09:30:00,5Z", "2026-11-21T09:30:00Z ", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := wire.ParseTime(text)
		if err != nil {
			return
		}
		require.Equal(t, time.UTC, at.Location())
		if at.Year() < 0 || at.Year() > 9999 {
			return // an offset has carried it out of what four digits can say
		}
		written := wire.TimeOf(at).String()
		require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, written)
		again, err := wire.ParseTime(written)
		require.NoError(t, err)
		require.True(t, again.Equal(at.Truncate(time.Millisecond)), "%q became %q", text, written)

		var decoded wire.Time
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(quoted, &decoded), text)
		require.Equal(t, written, decoded.String())
	})
}
