package workflows_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/workflows"
)

// TestPhasesHaveTables requires that each event leads from a phase to one phase, and that each
// row of phases.md with a phase is read.
func TestPhasesHaveTables(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("phases.md")
	require.NoError(t, err)
	read := 0
	for name, ends := range map[string][]string{
		"Charge": {"over"}, "Delivery": {"over"}, "Payout": {"confirmed", "failed", "none"}, "Refund": {"over"}, "Swap": {"over"},
		"Trade": {"over", "none"},
	} {
		leads, rows := map[[2]string]bool{}, workflows.PhaseRows(name)
		require.NotEmpty(t, rows, name)
		for _, r := range rows {
			require.False(t, leads[[2]string{r.From, r.On}], "%s has two rows of %s, %s", name, r.From, r.On)
			leads[[2]string{r.From, r.On}] = true
			continues := slices.ContainsFunc(rows, func(o workflows.PhaseRow) bool { return o.From == r.To })
			require.True(t, continues || slices.Contains(ends, r.To), "%s has no phase %s", name, r.To)
		}
		read += len(rows) + 2 // the two lines at the top of its table
	}
	require.Equal(t, strings.Count(string(text), "\n|"), read)
}

// walked holds the steps that runs took through their phases. It receives them as the
// logger of the runs, and ignores the rest of the log.
type walked map[[3]string]bool

// Debug notes each step.
func (w walked) Debug(msg string, keyvals ...any) {
	if msg == "phase" {
		w[[3]string{keyvals[1].(string), keyvals[3].(string), keyvals[5].(string)}] = true
	}
}

func (walked) Info(string, ...any)  {}
func (walked) Warn(string, ...any)  {}
func (walked) Error(string, ...any) {}

// requireWhole requires that the runs took each step of their table, and no other.
func (w walked) requireWhole(t *testing.T, rows []workflows.PhaseRow) {
	t.Helper()
	for _, row := range rows {
		step := [3]string{row.From, row.On, row.To}
		require.True(t, w[step], step)
		delete(w, step)
	}
	require.Empty(t, w, "steps that the table does not have")
}

// step is an event on the way through the phases of a run, and when it comes
// after the run began.
type step struct {
	workflows.PhaseRow

	at time.Duration
}

// pathTo is the shortest way from a first phase along a row.
func pathTo(t *testing.T, rows []workflows.PhaseRow, first []string, target workflows.PhaseRow) []workflows.PhaseRow {
	t.Helper()
	paths, seen := [][]workflows.PhaseRow{}, map[string]bool{}
	for _, phase := range first {
		if target.From == phase {
			return []workflows.PhaseRow{target}
		}
		paths, seen[phase] = append(paths, []workflows.PhaseRow{{To: phase}}), true
	}
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		for _, r := range rows {
			if r.From != path[len(path)-1].To || seen[r.To] {
				continue
			}
			seen[r.To] = true
			longer := append(append([]workflows.PhaseRow{}, path...), r)
			if r.To == target.From {
				return append(longer[1:], target)
			}
			paths = append(paths, longer)
		}
	}
	require.Fail(t, "no way", "nothing leads to %s", target.From)
	return nil
}

// phaseAt returns the phase of a run at a moment, or the phase in which it ended. A run
// that has not ended by then is canceled.
func phaseAt(t *testing.T, env *testsuite.TestWorkflowEnvironment, at time.Duration, workflow, in any) string {
	t.Helper()
	var phase string
	env.RegisterDelayedCallback(func() {
		phase = phaseOf(t, env)
		env.CancelWorkflow()
	}, at)
	env.ExecuteWorkflow(workflow, in)
	if phase == "" {
		requireEnded(t, env)
		return phaseOf(t, env)
	}
	return phase
}

func phaseOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) (phase string) {
	t.Helper()
	value, err := env.QueryWorkflow(workflows.PhaseQuery)
	require.NoError(t, err)
	require.NoError(t, value.Get(&phase))
	return phase
}

// answered returns the callbacks of an update, which note its outcome.
func answered(t *testing.T, outcomes *[]error) *testsuite.TestUpdateCallback {
	t.Helper()
	return &testsuite.TestUpdateCallback{
		OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
		OnComplete: func(_ any, err error) { *outcomes = append(*outcomes, err) },
	}
}
