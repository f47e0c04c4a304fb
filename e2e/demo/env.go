package main

import (
	"fmt"
	"os"
	"strings"
)

// environment is where the parts of the stack are.
type environment map[string]string

// readEnv reads the file that `make up` writes.
func readEnv(path string) (environment, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the stack is not up, run `make up`: %w", err)
	}
	env := environment{}
	for line := range strings.Lines(string(content)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		env[key] = strings.Trim(value, "'")
	}
	for _, key := range []string{
		"MERCHANT_URL", "OPERATOR_DESK_URL", "SWAP_URL", "MONEROD_RPC_URL", "LITECOIN_RPC_URL", "CUSTOMER_WALLET_RPC_URL", "TEMPORAL_UI_URL",
		"RECEIVER_CERT_FILE", "RECEIVER_KEY_FILE",
	} {
		if env[key] == "" {
			return nil, fmt.Errorf("%s has no %s: a part of the stack is down, run `make up`", path, key)
		}
	}
	return env, nil
}
