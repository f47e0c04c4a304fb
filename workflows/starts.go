package workflows

import "go.temporal.io/sdk/workflow"

// mostStarts is how many deliveries a run of a charge starts, so also how many attempts
// it has under way. Temporal holds at most 2,000 activities or children of one run that
// are under way, and fails the run's next step beyond: a receiver that is away has every
// delivery go on in a run of its own for a day.
const mostStarts = 100

// starts makes the first attempts of deliveries, each once, beside what the run does
// otherwise. A receiver that hangs holds up nobody.
type starts struct {
	done map[string]bool
	// made counts those that this run has started, underWay those that are not over.
	made, underWay int
}

// newStarts knows what runs before have started.
func newStarts(before []string) *starts {
	s := &starts{done: map[string]bool{}}
	for _, id := range before {
		s.done[id] = true
	}
	return s
}

// start starts those that have not been started, until the run has started its share.
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

// used says that the run has started its share, so that another run goes on.
func (s *starts) used() bool { return s.made >= mostStarts }

// idle says that no attempt is under way: the end of a run would cut it off.
func (s *starts) idle() bool { return s.underWay == 0 }

// among are those of some deliveries that were started.
func (s *starts) among(ids []string) []string {
	var started []string
	for _, id := range ids {
		if s.done[id] {
			started = append(started, id)
		}
	}
	return started
}
