package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// outage is the one disturbance of a run with -away: parts that are away together. It is
// empty in any other run.
type outage []disturbance

// parseOutage reads what -away is given: postgres,temporal=10m.
func parseOutage(text string) (outage, error) {
	names, length, _ := strings.Cut(text, "=")
	lasts, err := time.ParseDuration(length)
	if err != nil || lasts <= 0 {
		return nil, fmt.Errorf("%q is not like postgres,temporal=10m", text)
	}
	var o outage
	for name := range strings.SplitSeq(names, ",") {
		if !slices.Contains(parts(), name) {
			return nil, fmt.Errorf("%q is none of %s", name, strings.Join(parts(), ", "))
		}
		o = append(o, disturbance{kind: killed, on: name, lasts: lasts})
	}
	return o, nil
}

// length is how long the parts are away.
func (o outage) length() time.Duration {
	if len(o) == 0 {
		return 0
	}
	return o[0].lasts
}

// suffer has the outage in the middle of the run. Then everything runs.
func (w *testbed) suffer(ctx context.Context, o outage, t *tally) {
	calm := (time.Until(w.until) - o.length()) / 2
	fixture.Do(fixture.Pause(ctx, calm))
	w.have(ctx, round{calm: calm, list: o}, t)
}
