package workflows

import "go.temporal.io/sdk/workflow"

// mostStarts is how many deliveries a run of a charge starts. Temporal holds at most
// 2,000 children of one run that are under way, and fails the run's next step beyond:
// while a receiver is away a delivery is under way for a day. It is fewer than that,
// because the charge looks at no money and answers nobody while it starts them.
const mostStarts = 100

// starts gives deliveries workflows of their own, each once.
type starts struct {
	done map[string]bool
	// made counts those that this run has started.
	made int
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
func (s *starts) start(ctx workflow.Context, ids []string) error {
	for _, id := range ids {
		if s.used() {
			return nil
		}
		if s.done[id] {
			continue
		}
		if err := startDelivery(ctx, DeliveryToMerchant(id)); err != nil {
			return err
		}
		s.done[id] = true
		s.made++
	}
	return nil
}

// used says that the run has started its share, so that another run goes on.
func (s *starts) used() bool { return s.made >= mostStarts }

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
