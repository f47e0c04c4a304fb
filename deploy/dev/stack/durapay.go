package stack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
)

// program is the path of the services' own program.
func (s *Stack) program() string {
	if s.options.Clocks {
		return s.path("bin", "durapay-clocks")
	}
	return s.path("bin", "durapay")
}

// buildProgram compiles the services and returns a text that identifies the build. The
// compiler's cache makes it quick.
func (s *Stack) buildProgram(ctx context.Context) (version string, err error) {
	var options []string
	if s.options.Clocks {
		overlay, err := Overlay(ctx, s.root, s.path("bin", "clock"))
		if err != nil {
			return "", err
		}
		options = []string{"-overlay", overlay}
	}
	if err := s.compile(ctx, s.program(), "./cmd/durapay", options...); err != nil {
		return "", err
	}
	content, err := os.ReadFile(s.program())
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// buildTool compiles the command of the development stack. Some parts are its subcommands.
func (s *Stack) buildTool(ctx context.Context) (string, error) {
	path := s.path("bin", "dev")
	return path, s.compile(ctx, path, "./deploy/dev")
}

// compile links a program once for all stacks of a working copy, so that the compiler finds it
// up to date. Each stack runs a copy, which does not change.
func (s *Stack) compile(ctx context.Context, target, pkg string, options ...string) error {
	shared := filepath.Join(s.root, ".dev", "build")
	unlock, err := Lock(ctx, shared)
	if err != nil {
		return err
	}
	defer unlock()
	built := filepath.Join(shared, filepath.Base(target))
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, options, []string{"-o", built, pkg})...)
	cmd.Dir = s.root
	if err := run(cmd, "build "+pkg); err != nil {
		return err
	}
	return copyTree(ctx, target, built)
}

// migrateSchema creates the keys and updates the database schema, once per stack and start.
func (s *Stack) migrateSchema(ctx context.Context) (struct{}, error) {
	if _, err := s.build(ctx); err != nil {
		return struct{}{}, err
	}
	for _, args := range [][]string{{"keygen", "--dir", s.keysDir("")}, {"migrate"}} {
		if err := run(s.durapay(ctx, args...), "durapay "+args[0]); err != nil {
			return struct{}{}, err
		}
	}
	return struct{}{}, s.becomePartner(ctx)
}

// prepareService creates the files that the services share.
func prepareService(ctx context.Context, s *Stack) error {
	if _, err := s.migrate(ctx); err != nil {
		return err
	}
	return errors.Join(s.shareKeys(), s.writeWallets(), s.writeExchangeWallets(), s.makeCertificate())
}

// serviceCommand runs a subcommand of durapay with an internal listener of its own.
func serviceCommand(subcommand string) func(*Stack) (command, error) {
	return func(s *Stack) (command, error) {
		version, err := s.build(context.Background())
		return command{
			path: s.program(), args: []string{subcommand}, version: version,
			env: s.serviceEnv(subcommand), inherited: s.options.Env,
		}, err
	}
}

// serviceEnv returns the configuration of a service: development's defaults, the addresses of
// the parts, and the caller's settings, which override both.
func (s *Stack) serviceEnv(subcommand string) map[string]string {
	env := map[string]string{
		"PUBLIC_URL":             s.url("merchant"),
		"SOCKS5_PROXY":           s.Addr("socks"),
		"PRICE_SOURCES":          "static",
		"PRICE_STATIC_USD":       "150",
		"PRICE_STATIC_EUR":       "140",
		"COIN_PRICE_SOURCES":     "static",
		"COIN_PRICES_STATIC":     "xmr=150,ltc=75",
		"WEBHOOK_ALLOWED_NETS":   "127.0.0.0/8,::1/128",
		"CONFIRMATIONS_REQUIRED": "2",
		"OFAC_SDN_FILE":          filepath.Join(s.root, "deploy", "dev", "sanctions.xml"),
		"EMAIL_VERIFICATION":     "off",
		"SIGNUP":                 "open",
		"STEP_UP":                "off",
		"PAYOUT_ADDRESS_HOLD":    "0s",
		"ADMIN_LISTENERS":        "public",
		"MAIL_FROM":              "Durapay <noreply@durapay.example>",
	}
	if s.Sandbox() == config.SandboxWallet {
		// The sandbox's chain is that of live money, unless the stack has another.
		env["SANDBOX_CHAIN"], env["SANDBOX_MONEROD_RPC_URL"], env["SANDBOX_MONEROD_ZMQ_ADDRESS"] = "wallet", s.url("monerod"), s.Addr(monerodZMQ)
		if s.has(sandboxDaemon) {
			env["SANDBOX_MONEROD_RPC_URL"], env["SANDBOX_MONEROD_ZMQ_ADDRESS"] = s.url(sandboxDaemon), ""
		}
	}
	maps.Copy(env, map[string]string{
		"DATABASE_URL":        s.databaseURL(),
		"TEMPORAL_ADDRESS":    s.Addr("temporal"),
		"TEMPORAL_NAMESPACE":  temporalNamespace,
		"TEMPORAL_UI_URL":     s.temporalUIURL(),
		"KEYS_DIR":            s.keysDir(subcommand),
		"MONEROD_RPC_URL":     s.url("monerod"),
		"MONEROD_REGTEST":     "true",
		"MONEROD_ZMQ_ADDRESS": s.Addr(monerodZMQ),
		"WALLETS_FILE":        s.path("secrets", "wallets.json"),
		"MERCHANT_LISTEN":     s.Addr("merchant"),
		"SMTP_HOST":           "127.0.0.1",
		"SMTP_PORT":           strconv.Itoa(s.ports["smtp"]),
		"SMTP_TLS":            "off",
	})
	if s.has("merchant-api") {
		env["ONION_URL"], env["MERCHANT_ONION_LISTEN"] = s.onion("merchant"), s.Addr("merchant-onion")
	}
	if s.has("swap-api") {
		maps.Copy(env, s.exchangeEnv())
	}
	if subcommand == secret.Worker {
		env["CODEC_TOKEN_FILE"] = s.codecTokenFile()
		if s.ports["temporal-ui"] != 0 {
			env["TEMPORAL_UI_UPSTREAM"] = s.url("temporal-ui")
		}
	}
	if subcommand != "" {
		env["INTERNAL_LISTEN"] = s.Addr(subcommand + "-internal")
	}
	if s.options.Clocks {
		env[ClockFile] = s.clockFile(subcommand)
	}
	maps.Copy(env, s.settings()) // a test may even put a proxy between two parts
	env["SSL_CERT_DIR"] = s.trustDirs()
	return env
}

// Sandbox returns what pays the sandbox's charges.
func (s *Stack) Sandbox() config.SandboxChain {
	if s.has("wallet-sandbox-spend") {
		return config.SandboxWallet
	}
	return config.SandboxSimulated
}

// writeWallets writes the list of wallets for the merchants' service. It is empty in a stack
// with only the exchange.
func (s *Stack) writeWallets() error {
	entry := func(mode config.Mode, spend string) config.WalletEntry {
		return config.WalletEntry{
			ID: string(mode), Mode: mode, MoneroWallet: config.MoneroWallet{
				PrimaryAddress: s.walletAddress(string(mode)), ViewKeyFile: s.viewKeyFile(string(mode)), SpendURL: s.url(spend),
			},
		}
	}
	list := []config.WalletEntry{}
	if s.has("wallet-spend") {
		list = append(list, entry(config.Live, "wallet-spend"))
	}
	if s.has("wallet-sandbox-spend") {
		list = append(list, entry(config.Sandbox, "wallet-sandbox-spend"))
	}
	return writeJSON(s.path("secrets", "wallets.json"), list)
}

// services returns the parts that run this repository's program. Each is ready when all its
// needs are. The worker runs the workflows and activities: it has the wallets of the merchants'
// service, of the exchange, or both, like the stack. It makes the receiving addresses of the
// merchants' API and watches the wallets of the swap API, so both need it.
func services() []part {
	service := func(name, page string, ports ...port) part {
		return part{
			name: name, ports: ports, prepare: prepareService, command: serviceCommand(name), ready: answers(page, "/readyz"),
		}
	}
	worker := service("worker", "worker-internal", port{"worker-internal", 9090})
	worker.needs = []string{"postgres", "temporal", "monerod", "tor"}
	worker.after = append(SandboxWallets(), "wallet-spend", "litecoind", "wallet-exchange-spend")
	merchants := service("merchant-api", "merchant", port{"merchant", 8080}, port{"merchant-onion", 8082}, port{"merchant-api-internal", 9091})
	merchants.needs, merchants.after = []string{"worker", "wallet-spend"}, SandboxWallets()
	merchants.logKey = "API_LOG"
	swaps := service("swap-api", "swap", port{"swap", 8081}, port{"swap-onion", 8083}, port{"swap-api-internal", 9092})
	swaps.needs = []string{"litecoind", "wallet-exchange-spend", "worker"}
	return []part{worker, merchants, swaps}
}

// keysDir returns the folder of a service's key files, as in a container with its own mounts.
// Without a service it returns the folder with all key files.
func (s *Stack) keysDir(service string) string {
	if service == "" {
		return s.path("secrets")
	}
	return s.path("secrets", "of-"+service)
}

// shareKeys gives each service only the folders of its kinds of data. The links also work in a
// copy of the stack's directory.
func (s *Stack) shareKeys() error {
	for _, service := range []string{secret.Worker, secret.MerchantAPI, secret.SwapAPI} {
		dir := s.keysDir(service)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("keys: %w", err)
		}
		for _, kind := range append(secret.KindsOf(service), secret.Payloads) {
			err := os.Symlink(filepath.Join("..", string(kind)), filepath.Join(dir, string(kind)))
			if err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("keys: %w", err)
			}
		}
	}
	return nil
}
