package stack

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// part declares one process of the stack. Functions left nil do nothing.
type part struct {
	// name identifies the part in commands, records and log files.
	name string
	// needs are the parts that must be ready before this one is prepared.
	needs []string
	// after are parts that it needs too, in a stack that has them.
	after []string
	// ports are the ports it listens on.
	ports []port
	// programs are the executables it uses.
	programs []programs.Program
	// prepare makes the files it needs; it runs before every start.
	prepare func(context.Context, *Stack) error
	// command is what is executed.
	command func(*Stack) (command, error)
	// ready returns nil once the part does its work.
	ready func(context.Context, *Stack) error
	// settle runs after every start, when the part is ready.
	settle func(context.Context, *Stack) error
	// env adds to the stack's env file.
	env func(*Stack) map[string]string
	// logKey is its log's name in the env file; NAME_LOG when empty.
	logKey string
	// stop is the signal that ends it in an orderly way; SIGTERM when zero.
	stop syscall.Signal
	// patience is how long it may take to become ready; Options.Patience when zero.
	patience time.Duration
	// retries is how often a start is tried again when the process ends at once.
	retries int
	// disabled tells that this stack does without the part.
	disabled func(*Stack) bool
	// asked parts are in no stack that does not name them, or one that needs them.
	asked bool
}

// command is a process to be: everything that a change of must restart it.
type command struct {
	path string
	args []string
	// env is the environment that the stack gives it.
	env map[string]string
	// inherited is the caller's environment, which env wins over; a change of
	// it restarts nothing.
	inherited map[string]string
	// dir is the working directory; the stack's directory when empty.
	dir string
	// user is who runs it; the caller when nil.
	user *syscall.Credential
	// version tells builds of the same path apart.
	version string
}

// parts lists every part of a stack with this Temporal.
func parts(kind programs.TemporalKind) []part {
	return slices.Concat(
		[]part{postgres()}, temporal(kind), []part{monerodFork(), afterTheSandbox(monerod()), tor(), mailSink()},
		hearingTheSandbox(wallets()), declared(forkWallets()), sandboxParts(),
		[]part{miner(), litecoind(), litecoindFork(), litecoinMiner(), worker(), merchantAPI(), swapAPI()},
	)
}

// MerchantParts are the parts of a stack for the merchants' side alone, apart
// from what these need. Its sandbox is simulated, unless SandboxWallets are added.
func MerchantParts() []string { return []string{"merchant-api", "miner", "mail"} }

// Programs are the executables that the named parts need; all parts when
// there is no name.
func Programs(kind programs.TemporalKind, names ...string) []programs.Program {
	var list []programs.Program
	for _, p := range parts(kind) {
		if len(names) == 0 || slices.Contains(names, p.name) {
			list = append(list, p.programs...)
		}
	}
	return list
}

// key is the part's name as a part of environment variables.
func (p part) key() string {
	return strings.ToUpper(strings.ReplaceAll(p.name, "-", "_"))
}

func (p part) logName() string {
	if p.logKey != "" {
		return p.logKey
	}
	return p.key() + "_LOG"
}

func (p part) stopSignal() syscall.Signal {
	if p.stop != 0 {
		return p.stop
	}
	return syscall.SIGTERM
}
