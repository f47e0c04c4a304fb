package stack

import "context"

// worker runs the workflows and activities.
func worker() part {
	return part{
		name: "worker",
		needs: []string{
			"postgres", "temporal", "monerod", "tor", "wallet-watch", "wallet-spend",
			"wallet-sandbox-watch", "wallet-sandbox-spend",
		},
		after:   []string{"litecoind", "wallet-exchange-watch", "wallet-exchange-spend"},
		ports:   []port{{"worker-internal", 9090}},
		prepare: prepareService,
		command: serviceCommand("worker"),
		ready: func(ctx context.Context, s *Stack) error {
			return ok(ctx, s.url("worker-internal")+"/readyz")
		},
	}
}
