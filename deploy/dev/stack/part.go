package stack

import (
	"context"
	"slices"
	"strings"
	"syscall"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// part declares one process of the stack. Functions left nil do nothing.
type part struct {
	// name identifies the part in commands, records and log files.
	name string
	// needs are the parts that must be ready before this one is prepared.
	needs []string
	// after are parts that it also needs, if the stack has them.
	after []string
	// ports are the ports it listens on.
	ports []port
	// programs are the executables it uses. The first one is its process, unless the command
	// has a path.
	programs []programs.Program
	// files is set if its files are in a folder of its own, which is made before its first
	// start.
	files bool
	// prepare makes the files it needs; it runs before every start.
	prepare func(context.Context, *Stack) error
	// command returns the command to run.
	command func(*Stack) (command, error)
	// ready returns nil once the part works.
	ready func(context.Context, *Stack) error
	// settle runs after every start, when the part is ready.
	settle func(context.Context, *Stack) error
	// logKey is its log's name in the env file; NAME_LOG when empty.
	logKey string
	// stop is the signal that ends it in an orderly way; SIGTERM when zero.
	stop syscall.Signal
	// retries is how often a start is repeated if the process ends at once.
	retries int
	// disabled reports whether this stack does not use the part.
	disabled func(*Stack) bool
	// asked is set for a part that a stack has only if Parts or Asked names it, another part
	// needs it, or it runs already.
	asked bool
}

// command describes a process: all values whose change must restart it.
type command struct {
	path string
	args []string
	// env is the environment from the stack.
	env map[string]string
	// inherited is the caller's environment, which env overrides. A change of it restarts
	// nothing.
	inherited map[string]string
	// dir is the working directory; the stack's directory when empty.
	dir string
	// user runs the process; the caller's user if nil.
	user *syscall.Credential
	// version identifies different builds of the same path.
	version string
}

// parts returns every part of a stack with this Temporal.
func parts(kind programs.TemporalKind) []part {
	list := slices.Concat([]part{postgres()}, temporal(kind), moneroDaemons(), []part{tor(), mailSink()})
	for _, w := range wallets() {
		list = append(list, w.declare())
	}
	return slices.Concat(list, []part{miner(), litecoind(), litecoindFork(), litecoinMiner()}, services())
}

// MerchantParts returns the parts of a stack with only the merchants' side; Open adds the
// parts that these need. Its sandbox is simulated, unless SandboxWallets are added.
func MerchantParts() []string { return []string{"merchant-api", "miner", "mail"} }

// A fork is an alternative chain: a second daemon that receives nothing from the first while
// the two are separated, and mines blocks of its own. When they are joined again, both use the
// longer chain. The second Monero daemon has copies of the wallets, so that a test can spend
// money there that was already spent on the first daemon's chain.
const (
	moneroFork   = "monerod-fork"
	litecoinFork = "litecoind-fork"
)

// A stack may give the sandbox a chain of its own: a second private one, on which a customer
// has money too, or the empty chain of a stagenet daemon without peers. Blocks are mined only
// on private chains.
const (
	sandboxDaemon  = "monerod-sandbox"
	stagenetDaemon = "monerod-stagenet"
	stagenetWallet = "wallet-stagenet"
)

// ForkParts returns the parts of a stack whose chains can be forked.
func ForkParts() []string {
	return []string{moneroFork, litecoinFork, "wallet-fork-live", "wallet-fork-customer", "wallet-fork-exchange"}
}

// SandboxWallets returns the parts of a sandbox that uses a chain: the chain of live money,
// unless the stack has another. Without them the sandbox is simulated.
func SandboxWallets() []string { return []string{"wallet-sandbox-spend"} }

// SandboxParts returns the additional parts of the sandbox's two chains.
func SandboxParts() []string {
	return []string{sandboxDaemon, "wallet-sandbox-customer", stagenetWallet}
}

// Programs returns the executables that the named parts need; those of all parts without a
// name.
func Programs(kind programs.TemporalKind, names ...string) []programs.Program {
	var list []programs.Program
	for _, p := range parts(kind) {
		if len(names) == 0 || slices.Contains(names, p.name) {
			list = append(list, p.programs...)
		}
	}
	return list
}

// key returns the part's name for use in environment variables.
func (p part) key() string {
	return strings.ToUpper(strings.ReplaceAll(p.name, "-", "_"))
}

// speaks is the readiness of a part that answers a method of JSON-RPC at a port.
func speaks(port, method string) func(context.Context, *Stack) error {
	return func(ctx context.Context, s *Stack) error { return call(ctx, s.url(port), method, nil, nil) }
}

// answers is the readiness of a part with a page at a port that is 200 once it works.
func answers(port, page string) func(context.Context, *Stack) error {
	return func(ctx context.Context, s *Stack) error { return ok(ctx, s.url(port)+page) }
}
