package main

// suite is a set of long tests, which make test leaves out because they start more than
// PostgreSQL.
type suite struct {
	name string
	// packages and tests are arguments of go test: tests is its -run, whose
	// alternatives each match a test.
	packages []string
	tests    string
	// command is run instead of go test.
	command []string
}

// suites are the long tests, in the order in which they run.
//
//nolint:gochecknoglobals // a constant table
var suites = []suite{
	{name: "clients", packages: []string{"./openapi"}, tests: "Client"},
	{name: "compose", packages: []string{"./deploy"}, tests: "."},
	{name: "browser", packages: []string{"./api/pages", "./api/merchant"}, tests: "Browser|Accessible"},
	{name: "temporal", packages: []string{"./api/merchant", "./cmd/durapay", "./worker"}, tests: "."},
	{name: "exchange", packages: []string{"./api/swap"}, tests: "."},
	{name: "chains", packages: []string{"./internal/chain", "./internal/monero/...", "./internal/utxo", "./internal/watch"}, tests: "."},
	{name: "places", packages: []string{"./workflows", "./workflows/dispatch"}, tests: "Places|Witness|WalletFromItsSeed|Wakeup|NewCharge"},
	{name: "payments", packages: []string{"./e2e"}, tests: "Charge|Payment|Money|Button|Sandbox|Outputs|Expiry|Overpayment|Claims|WithoutTemporal|NoPrice|Verification"},
	{name: "plugins", packages: []string{"./e2e"}, tests: "Invoice|WrongPassword"},
	{name: "swaps", packages: []string{"./e2e"}, tests: "Swap|AnotherDurapay|TradePayout|Sanctions"},
	{name: "tor", packages: []string{"./e2e"}, tests: "Tor"},
	{name: "hints", packages: []string{"./e2e"}, tests: "Push|ManyBlocks"},
	{name: "forks", packages: []string{"./e2e"}, tests: "DoubleSpend|Reorg|OtherChain"},
	{name: "kills", packages: []string{"./e2e"}, tests: "Kill|Daemon|NetworkRefuses"},
	{name: "restores", packages: []string{"./e2e"}, tests: "Restore|TemporalForgets"},
	{name: "stacks", packages: []string{"./e2e/..."}, tests: "."},
	{name: "chaos", command: []string{"make", "chaos", "minutes=2"}},
}

// row lists the suites that a change of a path requires: none if make test covers it.
type row struct {
	suites []string
	// paths are files or folders of the repository. A folder stands for the files in
	// it, and with /... for those below it as well.
	paths []string
}

// rows maps paths to suites. The nearest row above a path is used. Each package of the module
// has one.
//
//nolint:gochecknoglobals // a constant table
var rows = []row{
	// How money moves, and how a run survives its worker.
	{
		[]string{"chains", "places", "hints", "forks", "kills", "restores", "chaos"},
		[]string{
			"internal/chain/...", "internal/monero", "internal/nodes", "internal/utxo", "internal/watch/...", "internal/witness/...",
			"workflows", "workflows/dispatch",
		},
	},
	{
		[]string{"chains", "places", "hints", "forks", "kills", "restores", "chaos", "swaps"},
		[]string{"activities/payouts", "activities/sending", "activities/trades"},
	},
	{[]string{"chains"}, []string{"internal/monero/scan", "internal/monero/scan/scantest"}},
	{[]string{"chains", "hints", "forks", "kills", "payments"}, []string{"internal/jsonrpc", "activities/incoming"}},
	{[]string{"kills", "restores", "chaos"}, []string{"internal/postgres/...", "internal/outbox", "worker", "activities"}},
	{
		[]string{"kills", "payments"},
		[]string{
			"internal/chargestore", "activities/deliveries", "activities/mails", "activities/upkeep",
		},
	},
	{[]string{"temporal", "kills", "restores", "swaps", "payments"}, []string{"internal/secret", "internal/operator/rekey.go", "internal/config"}},

	// The APIs.
	{[]string{"temporal", "payments"}, []string{"api/merchant/...", "api/access", "api/operation", "api/httpapi", "api/service"}},
	{[]string{"browser"}, []string{"api/pages/...", "api/desk", "internal/browsertest"}},
	{[]string{"plugins"}, []string{"api/greenfield/...", "internal/invoice", "tools/greenfield"}},
	{[]string{"exchange", "swaps"}, []string{"api/swap", "internal/exchange", "internal/swapquote", "internal/provider/..."}},
	{[]string{"clients"}, []string{"openapi"}},
	{[]string{"temporal", "clients"}, []string{"cmd/durapay"}},
	{[]string{"tor"}, []string{"internal/outbound", "deploy/tor", "deploy/edge"}},
	{[]string{"browser", "payments", "tor"}, []string{"api/web"}},
	{[]string{"browser", "temporal", "compose"}, []string{"api/opdesk"}},

	// Installation, and the parts that tests use.
	{[]string{"compose"}, []string{"deploy", "deploy/postgres", "deploy/temporal", "deploy/secrets.sh", "docker-compose.yml"}},
	{[]string{"temporal", "compose"}, []string{"tools/temporal", "tools/temporal-server"}},
	{[]string{"compose", "stacks"}, []string{"deploy/dev/stack", "deploy/dev/programs"}},
	{[]string{"stacks"}, []string{"e2e", "e2e/clients"}},
	{[]string{"stacks", "chaos"}, []string{"e2e/fixture"}},
	{[]string{"chaos"}, []string{"e2e/chaos"}},
	{[]string{"browser", "clients", "plugins", "stacks", "chaos"}, []string{"internal/testkit"}},
	{[]string{"browser", "clients", "compose", "chains", "stacks", "chaos"}, []string{"go.mod"}},

	// Rules, stores and adapters that their own tests cover fully.
	{nil, []string{
		"internal/account", "internal/alert", "internal/charge", "internal/coin", "internal/listen",
		"internal/money", "internal/notice", "internal/operator", "internal/payout", "internal/pgtest",
		"internal/permission", "internal/ratelimit", "internal/rates", "internal/refund",
		"internal/refusals", "internal/report", "internal/sanctions",
		"internal/swap", "internal/telemetry", "internal/trade", "internal/wire",
		"internal/webhook",
	}},
	// Commands for manual use, documents and tools.
	{nil, []string{
		"deploy/dev", "deploy/dev/install", "deploy/image/...", "deploy/runbooks", "deploy/runbooks.go", "docs/...", "e2e/bench", "e2e/demo",
		"e2e/production", "e2e/record", "tools/count", "tools/measure", "tools/testseed", "tools/touched",
	}},
}
