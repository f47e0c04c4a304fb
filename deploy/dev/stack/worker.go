package stack

import "context"

// worker runs the workflows and activities. It has the wallets of the merchants' service, of
// the exchange, or both, like the stack.
func worker() part {
	return part{
		name:  "worker",
		needs: []string{"postgres", "temporal", "monerod", "tor"},
		after: append(SandboxWallets(),
			"wallet-watch", "wallet-spend", "litecoind", "wallet-exchange-watch", "wallet-exchange-spend"),
		ports:   []port{{"worker-internal", 9090}},
		prepare: prepareService,
		command: serviceCommand("worker"),
		ready: func(ctx context.Context, s *Stack) error {
			return ok(ctx, s.url("worker-internal")+"/readyz")
		},
		env: func(s *Stack) map[string]string {
			certFile, keyFile := s.ReceiverCertificate()
			return map[string]string{"RECEIVER_CERT_FILE": certFile, "RECEIVER_KEY_FILE": keyFile}
		},
	}
}
