package stack

import "context"

// merchantAPI serves the merchants and the payment pages. It is ready when all its needs are,
// including the worker, which makes the receiving addresses.
func merchantAPI() part {
	return part{
		name:    "merchant-api",
		needs:   []string{"worker", "wallet-watch", "wallet-spend"},
		after:   SandboxWallets(),
		ports:   []port{{"merchant", 8080}, {"merchant-onion", 8082}, {"merchant-api-internal", 9091}},
		prepare: prepareService,
		command: serviceCommand("merchant-api"),
		ready: func(ctx context.Context, s *Stack) error {
			return ok(ctx, s.url("merchant")+"/readyz")
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{
				"MERCHANT_URL": s.url("merchant"), "ONION_URL": s.onion("merchant"), "OPERATOR_DESK_URL": s.url("merchant-api-internal") + "/operator/",
			}
		},
		logKey: "API_LOG",
	}
}
