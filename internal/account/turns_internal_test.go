package account

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// queue makes clients wait for a slot, in the order of their names.
func (t *turns) queue(clients ...string) []*turn {
	all := make([]*turn, 0, len(clients))
	for _, client := range clients {
		all = append(all, t.enter(client))
	}
	return all
}

// served are those among the turns that have a slot now, by their place.
func served(all []*turn) (places []int) {
	for i, one := range all {
		select {
		case granted := <-one.granted:
			if granted {
				places = append(places, i)
			}
		default:
		}
	}
	return places
}

// Who asks once waits for one turn of each other client, not for all that one
// of them has asked.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	all := newTurns(1)
	require.Nil(t, all.enter("greedy"), "a free slot")
	waiting := all.queue("greedy", "greedy", "greedy", "modest", "other", "other")
	var order []int
	for range waiting {
		all.give()
		order = append(order, served(waiting)...)
	}
	require.Equal(t, []int{0, 3, 4, 1, 5, 2}, order)
	all.give()
	require.Equal(t, 1, all.free)
	require.Empty(t, all.waiting)
	require.Empty(t, all.clients)
}

// When too many calls wait, the client with the most of them loses its last
// one: a client that fills the queue does not shut out the rest.
func TestAFullQueueRefusesTheGreediest(t *testing.T) {
	t.Parallel()
	all := newTurns(1)
	all.enter("greedy")
	var greedy []*turn
	for range waitingMost {
		greedy = append(greedy, all.enter("greedy"))
	}
	modest := all.enter("modest")
	require.False(t, <-greedy[waitingMost-1].granted)
	require.Equal(t, waitingMost, all.count)
	all.give()
	require.True(t, <-greedy[0].granted)
	all.give()
	require.True(t, <-modest.granted)

	again := all.queue("greedy", "greedy", "greedy")
	require.False(t, <-again[2].granted, "its own last one")
	require.ErrorIs(t, func() error {
		all.enter("greedy")
		return all.take(WithClient(t.Context(), "greedy"))
	}(), ErrBusy)
}

// Who gives up waiting leaves no trace, and a slot that was just granted goes
// to the next.
func TestWhoGivesUpHoldsNothing(t *testing.T) {
	t.Parallel()
	all := newTurns(1)
	all.enter("a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, all.take(WithClient(ctx, "b")), context.Canceled)
	require.Empty(t, all.waiting)
	late := all.enter("b")
	next := all.enter("c")
	all.give()
	all.leave("b", late)
	require.True(t, <-next.granted)
	all.give()
	require.Equal(t, 1, all.free)
}

// However many come at once, no more than the slots run, all are served, and no
// slot is lost.
func TestTurnsUnderLoad(t *testing.T) {
	t.Parallel()
	const slots = 3
	all := newTurns(slots)
	var wait sync.WaitGroup
	var mu sync.Mutex
	running, most := 0, 0
	for client := range 8 {
		for range 20 {
			wait.Go(func() {
				if err := all.take(WithClient(t.Context(), strconv.Itoa(client))); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				running++
				most = max(most, running)
				mu.Unlock()
				mu.Lock()
				running--
				mu.Unlock()
				all.give()
			})
		}
	}
	wait.Wait()
	require.LessOrEqual(t, most, slots)
	require.Equal(t, slots, all.free)
	require.Empty(t, all.waiting)
}
