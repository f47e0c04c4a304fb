package workflows_test

import (
	"testing"
	"time"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// TestEachStepOfADeliveryIsTaken lets runs take every step that the table has.
func TestEachStepOfADeliveryIsTaken(t *testing.T) {
	t.Parallel()
	all := walked{}
	for name, play := range map[string]func(d *deliveryRow){
		"arrives at the second attempt": func(d *deliveryRow) {
			d.outcomes = []deliveries.Attempt{{Status: webhook.Pending, Next: d.env.Now().Add(time.Minute)}}
		},
		"has ended": func(d *deliveryRow) { d.Pending = false },
		"is made due": func(d *deliveryRow) {
			d.Next = d.env.Now().Add(time.Hour)
			d.env.RegisterDelayedCallback(d.open, time.Minute)
		},
		"is opened while its run ends": func(d *deliveryRow) {
			d.meanwhile = func() {
				d.meanwhile = nil
				d.open()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDelivery(environment(all))
			play(d)
			d.run(t)
		})
	}
	all.requireWhole(t, workflows.PhaseRows("Delivery"))
}
