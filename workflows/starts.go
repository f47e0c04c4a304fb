package workflows

import "go.temporal.io/sdk/workflow"

// mostStarts is how many deliveries a run of a charge starts, and so how many attempts it
// has running. Temporal allows at most 2,000 running activities or children of one run,
// and fails the run's next step beyond that. If a receiver is away, each of its
// deliveries keeps a run of its own for a day.
const mostStarts = 100

// starts makes the first attempt of each delivery once, while the run does its other
// work. A receiver that hangs delays no other delivery.
type starts struct {
	done map[string]bool
	// made counts the deliveries that this run has started, underWay those whose attempt is
	// running.
	made, underWay int
}

// newStarts returns the starts of a run, given the deliveries that earlier runs have
// started.
func newStarts(before []string) *starts {
	s := &starts{done: map[string]bool{}}
	for _, id := range before {
		s.done[id] = true
	}
	return s
}

// start starts deliveries that have not been started, until the run has started
// mostStarts.
func (s *starts) start(ctx workflow.Context, ids []string) {
	for _, id := range ids {
		if s.used() {
			return
		}
		if s.done[id] {
			continue
		}
		s.startOne(ctx, DeliveryToMerchant(id))
		s.done[id] = true
		s.made++
	}
}

// startOne starts a delivery and does not wait for its attempt.
func (s *starts) startOne(ctx workflow.Context, in DeliveryInput) {
	s.underWay++
	workflow.Go(ctx, func(ctx workflow.Context) {
		if err := attemptFirst(ctx, in); err != nil {
			workflow.GetLogger(ctx).Error("a delivery cannot be attempted", "delivery", in.ID, "error", err)
		}
		s.underWay--
	})
}

// used reports whether the run has started mostStarts, so that another run must continue.
func (s *starts) used() bool { return s.made >= mostStarts }

// idle reports whether no attempt is running. The end of a run would interrupt a running
// one.
func (s *starts) idle() bool { return s.underWay == 0 }

// among returns those of some deliveries that were started.
func (s *starts) among(ids []string) []string {
	var started []string
	for _, id := range ids {
		if s.done[id] {
			started = append(started, id)
		}
	}
	return started
}
