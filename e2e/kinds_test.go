package e2e

import (
	"sync"
	"testing"
)

// kind makes stacks of one kind and lends them. A test has the stack that it takes, and
// the chains in it, for itself until the test ends. So no test sees another's block, and
// each may break any part. The next test takes the stack over. The stack of a test that
// fails is stopped, and the next test gets a new one from the template of the chains.
type kind[F interface{ base() *testbed }] struct {
	open func() (F, error)
	// turns has a place for each test that may have a stack at the same time.
	turns chan struct{}

	mu   sync.Mutex
	idle []F
	// running counts the stacks, demand the tests that have one or wait for one.
	running, demand int
}

// places has one for each test of any kind that works at the same time. More stacks than
// these take longer together: each polls and mines while it waits.
var places = make(chan struct{}, 4)

// newKind returns a kind of which at most so many stacks run at the same time.
func newKind[F interface{ base() *testbed }](most int, open func() (F, error)) *kind[F] {
	return &kind[F]{open: open, turns: make(chan struct{}, most)}
}

// take lends the test a stack until the test ends. It waits for its turn.
func (k *kind[F]) take(t *testing.T) F {
	t.Helper()
	k.mu.Lock()
	k.demand++
	k.mu.Unlock()
	k.turns <- struct{}{}
	places <- struct{}{}
	t.Cleanup(func() { <-places; <-k.turns })
	w, err := k.next()
	if err != nil {
		t.Fatalf("the stack does not start: %v", err)
	}
	t.Cleanup(func() { k.giveBack(t, w) })
	return w
}

// next returns an idle stack, or starts one.
func (k *kind[F]) next() (F, error) {
	k.mu.Lock()
	if last := len(k.idle) - 1; last >= 0 {
		defer k.mu.Unlock()
		w := k.idle[last]
		k.idle = k.idle[:last]
		return w, nil
	}
	k.running++
	k.mu.Unlock()
	w, err := k.open()
	if err != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running--
		k.demand--
	}
	return w, err
}

// giveBack keeps the stack for the next test if there is one and the stack is whole, and
// stops it otherwise.
func (k *kind[F]) giveBack(t *testing.T, w F) {
	t.Helper()
	k.mu.Lock()
	k.demand--
	needed := k.demand >= k.running
	k.mu.Unlock()
	if needed && !t.Failed() && !w.base().spent && w.base().restore(t) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.idle = append(k.idle, w)
		return
	}
	k.mu.Lock()
	k.running--
	k.mu.Unlock()
	if err := w.base().Stop(t.Failed()); err != nil {
		t.Error(err)
	}
}
