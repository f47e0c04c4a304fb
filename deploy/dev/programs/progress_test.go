package programs

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// said records the printed text.
type said struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Split(strings.TrimSpace(s.text.String()), "\n")
}

func TestNothingTakesLongInSilence(t *testing.T) {
	t.Parallel()
	// The sleeps use synctest's clock: they take no time.
	synctest.Test(t, func(t *testing.T) {
		var out said
		progress, stop := NewProgress(&out, Interval)
		failure := errors.New("no network")
		err := Together(
			func() error {
				return progress.Do("building temporal", "once", func(task *Task) error {
					task.Sayf("(%d of %d)", 7, 9)
					time.Sleep(75 * time.Second)
					return nil
				})
			},
			func() error {
				time.Sleep(time.Second)
				return progress.Do("installing packages", "tor", func(*Task) error {
					time.Sleep(12 * time.Second)
					return failure
				})
			})
		stop()
		require.ErrorIs(t, err, failure)
		require.ErrorContains(t, err, "installing packages: ")
		lines := out.lines()
		require.Equal(t, []string{
			"[0:00] building temporal: once",
			"[0:01] installing packages: tor",
			"[0:10] building temporal (7 of 9); installing packages …",
			"[0:13] installing packages: failed after 0:12",
			"[0:20] building temporal (7 of 9) …",
		}, lines[:5])
		require.Equal(t, "[1:15] building temporal: done in 1:15", lines[len(lines)-1])
		require.Len(t, lines, 11, "every ten seconds")
	})
}

func TestAFailedCommandShowsItsLastLines(t *testing.T) {
	t.Parallel()
	progress, stop := NewProgress(&said{}, Interval)
	defer stop()
	lines := 0
	err := progress.Do("installing", "much", func(task *Task) error {
		return task.Run(t.Context(), ".", func(string) { lines++ }, "/bin/sh", "-c", "seq 100; echo last words >&2; exit 3")
	})
	require.ErrorContains(t, err, "last words")
	require.ErrorContains(t, err, "\n72\n")
	require.NotContains(t, err.Error(), "\n71\n")
	require.Equal(t, 101, lines)
}
