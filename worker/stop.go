package worker

import (
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// How long a worker that stops lets its activities continue. All together are less than
// the minute that compose and the chart give a process.
const (
	// stopCalling is longer than a delivery through Tor takes, so that a deployment
	// sends no webhook and no mail twice, and builds no transaction twice.
	stopCalling = 40 * time.Second
	// stopDeciding is for workers of workflows, which also run the activities that relay and
	// check. The SDK gives this time to tasks, to local activities and to activities, one
	// after the other.
	stopDeciding = 5 * time.Second
	// cutOff is for watchers, which never end by themselves: another process takes over at
	// once.
	cutOff = time.Millisecond
)

// stop stops the workers of a group at the same time. Workers of workflows stop last,
// because until then they take the results of activities.
func stop(activities, deciders []worker.Worker) {
	for _, group := range [][]worker.Worker{activities, deciders} {
		var stopping sync.WaitGroup
		for _, w := range group {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
	}
}
