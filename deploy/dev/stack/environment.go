package stack

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/caarlos0/env/v11"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/config"
)

// variables returns what a running part adds to the env file.
func (s *Stack) variables(name string) map[string]string {
	ui := map[string]string{"TEMPORAL_UI_URL": s.temporalUIURL(), "CODEC_TOKEN_FILE": s.codecTokenFile()}
	clients := map[string]string{"TEMPORAL_ADDRESS": s.Addr(temporalPart), "TEMPORAL_NAMESPACE": temporalNamespace}
	if s.temporal == programs.TemporalDevelopment {
		maps.Copy(clients, ui)
	}
	certFile, keyFile := s.ReceiverCertificate()
	return map[string]map[string]string{
		"postgres":        {"DATABASE_URL": s.databaseURL()},
		temporalPart:      clients,
		"temporal-ui":     ui,
		"monerod":         {"MONEROD_RPC_URL": s.url("monerod"), "MONEROD_REGTEST": "true", "MONEROD_ZMQ_ADDRESS": s.Addr(monerodZMQ)},
		"tor":             {"SOCKS5_PROXY": s.setting("SOCKS5_PROXY", s.Addr("socks"))},
		"mail":            {"MAIL_URL": s.url("mail")},
		"wallet-customer": {"CUSTOMER_WALLET_RPC_URL": s.url("wallet-customer")},
		"litecoind":       {"LITECOIN_RPC_URL": s.LitecoinURL(litecoinCustomer)},
		"worker":          {"RECEIVER_CERT_FILE": certFile, "RECEIVER_KEY_FILE": keyFile, "WORKER_METRICS_URL": s.url("worker-internal") + "/metrics"},
		"merchant-api": {
			"MERCHANT_URL": s.url("merchant"), "DOCS_URL": s.url("merchant") + "/docs/merchant", "ONION_URL": s.onion("merchant"),
			"OPERATOR_DESK_URL": s.url("merchant-api-internal") + "/operator/", "MERCHANT_METRICS_URL": s.url("merchant-api-internal") + "/metrics",
		},
		"swap-api": {"SWAP_URL": s.url("swap"), "SWAP_ONION_URL": s.onion("swap"), "SWAP_METRICS_URL": s.url("swap-api-internal") + "/metrics"},
	}[name]
}

// writeEnv writes the env file: the running parts, for shells and clients.
func (s *Stack) writeEnv() error {
	s.envMu.Lock()
	defer s.envMu.Unlock()
	return writeFile(s.path("env"), []byte(shell(s.Env())))
}

// shell renders variables as lines that a POSIX shell can source.
func shell(env map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "%s=%s\n", key, quote(env[key]))
	}
	return b.String()
}

// quote returns a value unquoted if a shell reads it literally, so that simpler readers can
// read it too.
func quote(value string) string {
	const literal = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./?-[]"
	if strings.Trim(value, literal) == "" {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// CallerEnv returns the environment of the calling process without the variables that connect
// the parts, so that a stack never uses the ones of a stale shell.
func CallerEnv() map[string]string {
	result := map[string]string{}
	for _, pair := range os.Environ() {
		key, value, _ := strings.Cut(pair, "=")
		if !slices.Contains(wiring(), key) {
			result[key] = value
		}
	}
	return result
}

// wiring returns the variables with the addresses and files of the parts.
func wiring() []string {
	return []string{
		"DATABASE_URL", "TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_UI_URL", "TEMPORAL_UI_UPSTREAM",
		"KEYS_DIR", "CODEC_TOKEN_FILE", "KEYSET_FILE", "BLIND_INDEX_FILE", "PAYLOAD_KEYSET_FILE", "JWT_SECRET_FILE",
		"MONEROD_RPC_URL", "MONEROD_LOGIN_FILE", "MONEROD_ZMQ_ADDRESS", "WALLETS_FILE", "EXCHANGE_WALLETS_FILE", "LITECOIN_RPC_URL",
		"MERCHANT_SWAP_PROVIDERS_FILE",
		"MERCHANT_LISTEN", "MERCHANT_ONION_LISTEN", "ONION_URL",
		"SWAP_LISTEN", "SWAP_ONION_LISTEN", "SWAP_ONION_URL", "INTERNAL_LISTEN",
		"SMTP_HOST", "SMTP_PORT", "SMTP_TLS", "SMTP_USER", "SMTP_PASSWORD_FILE",
	}
}

// settings returns the caller's variables that change the behaviour of the services.
func (s *Stack) settings() map[string]string {
	known := []string{"DEV_BLOCK_SECONDS", programs.TemporalVariable, "SSL_CERT_FILE", "SSL_CERT_DIR"}
	fields, err := env.GetFieldParams(&config.Config{})
	if err == nil { // otherwise no setting is known or stored
		for _, f := range fields {
			known = append(known, f.Key)
		}
	}
	result := map[string]string{}
	for _, key := range known {
		if value, ok := s.options.Env[key]; ok {
			result[key] = value
		}
	}
	return result
}

// adopt uses stored settings that the caller has not given.
func (s *Stack) adopt(remembered map[string]string) {
	merged := maps.Clone(remembered)
	if merged == nil {
		merged = map[string]string{}
	}
	maps.Copy(merged, s.options.Env)
	s.options.Env = merged
}

// commandOf returns the part's complete command.
func (s *Stack) commandOf(p part) (command, error) {
	c, err := p.command(s)
	if err == nil && c.path == "" && len(p.programs) > 0 {
		c.path, err = p.programs[0].Find(s.root)
	}
	c.dir = cmp.Or(c.dir, s.dir)
	return c, err
}

// environ returns the environment of the process. It contains little of the caller's, so that
// a stack behaves the same wherever it is started.
func (c command) environ() []string {
	result := map[string]string{}
	for _, key := range []string{"PATH", "HOME", "TMPDIR", "TZ"} {
		if value, ok := os.LookupEnv(key); ok {
			result[key] = value
		}
	}
	maps.Copy(result, c.inherited)
	maps.Copy(result, c.env)
	list := make([]string, 0, len(result))
	for key, value := range result {
		list = append(list, key+"="+value)
	}
	return list
}

// fingerprint changes whenever the process must be restarted.
func (c command) fingerprint() string {
	user := ""
	if c.user != nil {
		user = fmt.Sprint(c.user.Uid)
	}
	b, err := json.Marshal([]any{c.path, c.args, c.env, c.dir, user, c.version})
	if err != nil {
		return "" // strings always marshal
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}
