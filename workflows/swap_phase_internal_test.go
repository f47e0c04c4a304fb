package workflows

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSwapTableIsTheCode reads swap.md: it has each step that the code takes, and
// no other.
func TestSwapTableIsTheCode(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("swap.md")
	require.NoError(t, err)
	written := map[swapPhase]map[swapEvent]swapPhase{swapOver: {}}
	for line := range strings.Lines(string(document)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || strings.Contains(line, "phase | event") || strings.Contains(line, "---") {
			continue
		}
		phase, event := swapPhase(strings.TrimSpace(cells[1])), swapEvent(strings.TrimSpace(cells[2]))
		if written[phase] == nil {
			written[phase] = map[swapEvent]swapPhase{}
		}
		require.NotContains(t, written[phase], event)
		written[phase][event] = swapPhase(strings.TrimSpace(cells[3]))
	}
	require.Equal(t, swapTable(), written)
}

// What the table does not have stops the run, instead of taking it anywhere.
func TestNoOtherStepIsTaken(t *testing.T) {
	t.Parallel()
	for _, from := range []swapPhase{swapUnordered, swapOrdering, swapLost, swapSought, swapWaiting, swapPolling, swapOver} {
		require.Contains(t, swapTable(), from)
		for _, event := range []swapEvent{
			swapRequested, swapUnasked, swapMade, swapRefused, swapFaulted, swapFound, swapMissing, swapDue, swapWanted, swapTold, swapClosed,
		} {
			if next, known := swapTable()[from][event]; known {
				require.Equal(t, next, from.after(event))
			} else {
				require.Panics(t, func() { from.after(event) }, "%s in %s", event, from)
			}
		}
	}
}
