package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/upkeep"
)

// register notes the names of activities, as a worker does.
type register struct {
	worker.Registry

	names map[string]bool
}

func (r *register) RegisterWorkflow(any) {}

func (r *register) RegisterActivity(a any) {
	name := runtime.FuncForPC(reflect.ValueOf(a).Pointer()).Name()
	r.names[strings.TrimSuffix(name[strings.LastIndex(name, ".")+1:], "-fm")] = true
}

// TestEveryActivityOfTheWorkflowsIsServed reads the activity names from the workflows.
// Temporal would wait for ever for an activity that no worker serves.
func TestEveryActivityOfTheWorkflowsIsServed(t *testing.T) {
	t.Parallel()
	d := Deps{
		Rooms:    activities.Rooms{Sanctions: &upkeep.SanctionsList{}},
		Exchange: &Exchange{},
	}
	served := &register{names: map[string]bool{}}
	d.registerMerchants(served)
	d.registerTrades(served)
	for _, add := range []func(worker.ActivityRegistry){
		d.RegisterAttempts, d.RegisterOutside, d.RegisterBuilding, d.RegisterWatching, d.RegisterPools,
		d.Exchange.RegisterOutside, d.Exchange.RegisterSending,
	} {
		add(served)
	}
	files, err := filepath.Glob("../workflows/*.go")
	require.NoError(t, err)
	used := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, call := range regexp.MustCompile(`\ba\.([A-Z]\w+)`).FindAllStringSubmatch(string(text), -1) {
			used++
			require.True(t, served.names[call[1]], "no worker serves %s of %s", call[1], file)
		}
	}
	require.Greater(t, used, 30)
}

// Temporal's library stops a worker that was turned away for minutes, and the rest of
// the process lives on: so that ends as well.
func TestWorkerThatStopsEndsTheProcess(t *testing.T) {
	t.Parallel()
	gone, stopped := errors.New("the namespace is gone"), make(chan error, 1)
	o := Deps{stopped: stopped}.options(worker.Options{})
	for range 2 { // every worker of the process
		o.OnFatalError(gone)
	}
	require.ErrorIs(t, until(t.Context(), stopped), gone)
	asked, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, until(asked, stopped))
}
