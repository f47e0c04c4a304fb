package stack

import "context"

// swapAPI serves the swap exchange. It is ready when all its needs are, including the worker,
// which watches the exchange's wallets.
func swapAPI() part {
	return part{
		name:    "swap-api",
		needs:   []string{"litecoind", "wallet-exchange-watch", "wallet-exchange-spend", "worker"},
		ports:   []port{{"swap", 8081}, {"swap-onion", 8083}, {"swap-api-internal", 9092}},
		prepare: prepareService,
		command: serviceCommand("swap-api"),
		ready: func(ctx context.Context, s *Stack) error {
			return ok(ctx, s.url("swap")+"/readyz")
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{"SWAP_URL": s.url("swap"), "SWAP_ONION_URL": s.onion("swap")}
		},
	}
}
