package account

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrBusy is returned when too many hashes wait for their turn.
var ErrBusy = errors.New("too many passwords are being checked")

// waitingMost is how many hashes wait at most: some seconds of work.
const waitingMost = 256

type clientKey struct{}

// WithClient names the client that hashes in a context: an address, a circuit,
// a merchant. Clients take turns, so none of them delays the rest.
func WithClient(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, name)
}

// ClientOf returns the client that hashes in a context; empty when it has no name.
func ClientOf(ctx context.Context) string {
	client, _ := ctx.Value(clientKey{}).(string)
	return client
}

// turns hands out slots. Clients take turns, and the calls of one client are
// served in the order in which they came. When too many wait, the client with
// the most waiting calls loses its last one.
type turns struct {
	mu   sync.Mutex
	free int
	// waiting holds the waiting calls of each client, in order; no list is empty.
	waiting map[string][]*turn
	// clients holds the clients with waiting calls, the next one first.
	clients []string
	count   int
}

// turn is a waiting call. It receives once whether it may start.
type turn struct {
	granted chan bool
}

func newTurns(slots int) *turns {
	return &turns{free: slots, waiting: map[string][]*turn{}}
}

// take waits for a slot: ErrBusy when it is refused one, the context's error
// when that ends first.
func (t *turns) take(ctx context.Context) error {
	client := ClientOf(ctx)
	mine := t.enter(client)
	if mine == nil {
		return nil
	}
	select {
	case granted := <-mine.granted:
		if !granted {
			return ErrBusy
		}
		return nil
	case <-ctx.Done():
		t.leave(client, mine)
		return ctx.Err()
	}
}

// enter takes a free slot (nil) or a place among those who wait.
func (t *turns) enter(client string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil
	}
	mine := &turn{granted: make(chan bool, 1)}
	if len(t.waiting[client]) == 0 {
		t.clients = append(t.clients, client)
	}
	t.waiting[client] = append(t.waiting[client], mine)
	if t.count++; t.count > waitingMost {
		longest := client
		for name, queue := range t.waiting {
			if len(queue) > len(t.waiting[longest]) {
				longest = name
			}
		}
		last := t.waiting[longest][len(t.waiting[longest])-1]
		t.remove(longest, last)
		last.granted <- false
	}
	return mine
}

// leave gives a place up; a slot that was granted meanwhile goes to the next.
func (t *turns) leave(client string, mine *turn) {
	t.mu.Lock()
	waited := t.remove(client, mine)
	t.mu.Unlock()
	if !waited && <-mine.granted {
		t.give()
	}
}

// remove takes one out of those who wait, if it is among them.
func (t *turns) remove(client string, one *turn) bool {
	at := slices.Index(t.waiting[client], one)
	if at < 0 {
		return false
	}
	t.count--
	if t.waiting[client] = slices.Delete(t.waiting[client], at, at+1); len(t.waiting[client]) == 0 {
		delete(t.waiting, client)
		t.clients = slices.DeleteFunc(t.clients, func(name string) bool { return name == client })
	}
	return true
}

// give hands a slot on: to the client whose turn it is, who goes to the end of
// the row.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count == 0 {
		t.free++
		return
	}
	client := t.clients[0]
	next := t.waiting[client][0]
	t.clients = append(t.clients[1:], client)
	t.remove(client, next)
	next.granted <- true
}
