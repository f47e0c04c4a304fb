package access

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzVisitCookie checks cookies of the onion mirror's pages. A cookie is a session only if the
// service issued exactly these characters, and only for a day.
func FuzzVisitCookie(f *testing.F) {
	now := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	v := visits{key: []byte("key"), clock: func() time.Time { return now }}
	issued := v.issue()
	for _, seed := range []string{issued, issued + "x", "." + issued, issued[:len(issued)-1], "1.a.b", "..", "", "9999999999999999999.a.", "-1.a." + v.signature("-1.a")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, cookie string) {
		session, ok := v.read(cookie)
		if !ok {
			return
		}
		require.Equal(t, cookie, session+"."+v.signature(session))
		later := visits{key: v.key, clock: func() time.Time { return now.Add(visitTime) }}
		_, ok = later.read(issued)
		require.False(t, ok)
		other := visits{key: []byte("another"), clock: v.clock}
		_, ok = other.read(cookie)
		require.False(t, ok, "under another key")
	})
}
