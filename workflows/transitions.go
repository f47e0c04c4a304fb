package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"
)

// transitions define which phase follows when an event comes in a phase. The runs follow
// these tables. phases.md shows them, and the tests walk along every row.
type transitions[Phase, Event ~string] []transition[Phase, Event]

type transition[Phase, Event ~string] struct {
	From Phase
	On   Event
	To   Phase
	// Then describes what happens, for people.
	Then string
}

// next returns the phase that an event leads to. An event without a row is a fault of
// this code. The panic keeps the run where it is until the code is mended.
func (t transitions[Phase, Event]) next(from Phase, on Event) Phase {
	for _, row := range t {
		if row.From == from && row.On == on {
			return row.To
		}
	}
	panic(fmt.Sprintf("no transition from %s on %s", from, on))
}

// follow is next, and logs the step.
func (t transitions[Phase, Event]) follow(ctx workflow.Context, from Phase, on Event) Phase {
	next := t.next(from, on)
	workflow.GetLogger(ctx).Debug("phase", "phase", string(from), "event", string(on), "next", string(next))
	return next
}

// PhaseQuery is the query that returns the phase of a run, see phases.md.
const PhaseQuery = "phase"
