package provider_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
)

func all(string) bool { return true }

func TestFanoutAsksOnceForManyAndKeepsTheAnswerAWhile(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	answer := make(chan string)
	client := providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		providertest.Answer(http.StatusOK, fmt.Sprintf(`{"toAmount":%s}`, <-answer))(w, r)
	})
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := provider.NewFanout([]provider.Provider{
		adapter.Exolix(client, provider.Profile{Name: "ex", Rating: provider.RatingC}),
	}, provider.FanoutOptions{MaxWait: time.Minute, Now: func() time.Time { return now }})
	ask := func() chan []provider.Answer {
		got := make(chan []provider.Answer, 1)
		go func() { got <- b.Ask(t.Context(), providertest.Request(t), false, all) }()
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
	require.Empty(t, b.Ask(t.Context(), providertest.Request(t), false, func(string) bool { return false }))
}

func TestSlowProvidersDelayNoAnswer(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	release := make(chan struct{})
	named := func(name string, answers http.HandlerFunc) provider.Provider {
		return adapter.Exolix(providertest.Serve(t, answers), provider.Profile{Name: name, Rating: provider.RatingC})
	}
	b := provider.NewFanout([]provider.Provider{
		named("slow", func(w http.ResponseWriter, r *http.Request) {
			calls.Add(1)
			<-release
			providertest.Answer(http.StatusOK, `{"toAmount":3}`)(w, r)
		}),
		named("quick", providertest.Answer(http.StatusOK, `{"toAmount":2}`)),
	}, provider.FanoutOptions{MaxWait: 10 * time.Millisecond, Now: func() time.Time { return time.Time{} }})
	answered := func(want ...string) func() bool {
		return func() bool {
			var names []string
			for _, a := range b.Ask(t.Context(), providertest.Request(t), false, all) {
				names = append(names, a.Name)
			}
			return slices.Equal(want, names)
		}
	}
	require.Eventually(t, answered("quick"), 8*time.Minute, time.Millisecond)
	close(release)
	require.Eventually(t, answered("slow", "quick"), 8*time.Minute, time.Millisecond, "what comes late is there for the next")
	require.EqualValues(t, 1, calls.Load())
}

func TestAProviderIsAskedSoOftenAndNoMore(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	b := provider.NewFanout([]provider.Provider{adapter.Exolix(providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		providertest.Answer(http.StatusOK, `{"toAmount":2}`)(w, r)
	}), provider.Profile{Name: "ex", Rating: provider.RatingC})}, provider.FanoutOptions{MaxWait: time.Minute, PerSecond: 2, Burst: 3, Now: func() time.Time { return now }})
	ask := func(amount int64) int {
		request := providertest.Request(t)
		request.Amount = money.DecimalFromInt(amount)
		return len(b.Ask(t.Context(), request, false, all))
	}
	require.Equal(t, []int{1, 1, 1, 0, 0, 1}, []int{ask(1), ask(2), ask(3), ask(4), ask(5), ask(1)}, "what is known costs nothing")
	now = now.Add(time.Second)
	require.Equal(t, []int{1, 1, 0}, []int{ask(6), ask(7), ask(8)})
	require.EqualValues(t, 5, calls.Load())
}

func TestNoFanoutHasNoProviders(t *testing.T) {
	t.Parallel()
	var b *provider.Fanout
	require.Empty(t, b.Profiles())
	require.Empty(t, b.Ask(t.Context(), providertest.Request(t), false, all))
	_, known := b.Provider("ex")
	require.False(t, known)
}

// TestQuotesLeaveRoomForOrders has quotes take every call that a provider that hangs may have.
// The order's own request is sent all the same.
func TestQuotesLeaveRoomForOrders(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	over := make(chan struct{})
	b := provider.NewFanout([]provider.Provider{adapter.Exolix(providertest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		<-over
		providertest.Answer(http.StatusOK, `{"toAmount":2}`)(w, r)
	}), provider.Profile{Name: "ex", Rating: provider.RatingC})}, provider.FanoutOptions{MaxWait: time.Millisecond, Now: func() time.Time { return time.Time{} }})
	t.Cleanup(func() { close(over) })
	ask := func(amount int64, binding bool) {
		request := providertest.Request(t)
		request.Amount = money.DecimalFromInt(amount)
		b.Ask(t.Context(), request, binding, all)
	}
	for n := range int64(20) {
		ask(1+n, false)
	}
	require.Eventually(t, func() bool { return calls.Load() == 16 }, 8*time.Minute, time.Millisecond)
	ask(100, true)
	require.Eventually(t, func() bool { return calls.Load() == 17 }, 8*time.Minute, time.Millisecond)
}
