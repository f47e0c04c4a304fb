package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// Beats sends Temporal a heartbeat once a second for each running activity that has a limit
// for heartbeats. So another worker takes over a killed worker's step within seconds instead
// of at the end of its deadline. PruneData sends heartbeats by itself, with its position.
type Beats struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity wraps the execution of activities.
func (*Beats) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	b := &beating{}
	b.Next = next
	return b
}

type beating struct {
	interceptor.ActivityInboundInterceptorBase
}

// ExecuteActivity runs the activity and sends heartbeats meanwhile.
func (b *beating) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if info := activity.GetInfo(ctx); info.HeartbeatTimeout > 0 && info.ActivityType.Name != "PruneData" {
		running, stop := context.WithCancel(ctx)
		defer stop()
		go beat(running)
	}
	return b.Next.ExecuteActivity(ctx, in)
}

func beat(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			activity.RecordHeartbeat(ctx)
		case <-ctx.Done():
			return
		}
	}
}
