package board_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/board"
	"github.com/durapay/durapay/internal/provider/exolix"
	"github.com/durapay/durapay/internal/provider/providertest"
)

func all(string) bool { return true }

func TestBoardAsksOnceForManyAndKeepsTheAnswerAWhile(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	answer := make(chan string)
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		providertest.Answer(http.StatusOK, fmt.Sprintf(`{"toAmount":%s}`, <-answer))(w, r)
	})
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := board.New([]provider.Provider{
		&exolix.Provider{Client: client, About: provider.Profile{Name: "ex", Rating: provider.RatingC}},
	}, board.Options{Patience: time.Minute, Now: func() time.Time { return now }})
	ask := func() chan []board.Answer {
		got := make(chan []board.Answer, 1)
		go func() { got <- b.Ask(t.Context(), providertest.Request(t), all) }()
		return got
	}
	first, second := ask(), ask()
	answer <- "2.5"
	require.Equal(t, "2.5", (<-first)[0].Quote.AmountTo.String())
	require.Equal(t, "2.5", (<-second)[0].Quote.AmountTo.String())
	require.Equal(t, "2.5", (<-ask())[0].Quote.AmountTo.String(), "from memory")
	require.EqualValues(t, 1, calls.Load())

	now = now.Add(15 * time.Second)
	third := ask()
	answer <- "2.6"
	require.Equal(t, "2.6", (<-third)[0].Quote.AmountTo.String())
	require.EqualValues(t, 2, calls.Load())
	require.Empty(t, b.Ask(t.Context(), providertest.Request(t), func(string) bool { return false }))
}

func TestNoBoardHasNoProviders(t *testing.T) {
	t.Parallel()
	var b *board.Board
	require.Empty(t, b.Profiles())
	require.Empty(t, b.Ask(t.Context(), providertest.Request(t), all))
	_, known := b.Provider("ex")
	require.False(t, known)
}
