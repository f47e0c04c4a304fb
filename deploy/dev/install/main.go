// Command install prepares a bare machine for the development stack and reports its progress.
// It runs steps concurrently: the servers from the distribution's packages and the Go module
// proxy, the project's own programs, and the chains with funded wallets that new stacks copy.
//
// It imports only the standard library and package programs, so that it runs seconds after the
// first `make`.
//
//	go run ./deploy/dev/install            # all of it
//	go run ./deploy/dev/install postgres   # what short tests need
//	go run ./deploy/dev/install stack      # what a stack of both services needs
//	go run ./deploy/dev/install compile    # the project alone
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// root is the repository, where make runs this command.
const root = "."

var errUsage = errors.New("usage: install [postgres|stack|compile]")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	progress, stop := programs.NewProgress(os.Stdout, programs.Interval)
	defer stop()
	if len(args) > 1 {
		return errUsage
	}
	switch strings.Join(args, "") {
	case "":
		kind, err := programs.ChosenTemporal()
		if err != nil {
			return err
		}
		needed := programs.Servers(kind)
		if os.Getenv("CI") != "" {
			needed = append(needed, programs.OfTemporal(programs.TemporalProduction)...) // so that its tests are not skipped
		}
		return servers(ctx, progress, needed)
	case "postgres":
		return programs.InstallPackages(ctx, progress, root, []programs.Program{programs.Postgres, programs.Initdb})
	case "stack":
		return servers(ctx, progress, append(programs.OfTemporal(programs.TemporalDevelopment),
			programs.Postgres, programs.Initdb, programs.Monerod, programs.WalletRPC, programs.WalletCLI, programs.Litecoind))
	case "compile":
		return compile(ctx, progress)
	default:
		return errUsage
	}
}

// servers installs servers. It runs steps that wait for the network or use one processor
// concurrently with steps that use all processors. It compiles the project first, because the
// project's command makes the chains while Temporal is compiled.
func servers(ctx context.Context, progress *programs.Progress, needed []programs.Program) error {
	if err := programs.Together(
		func() error { return programs.InstallPackages(ctx, progress, root, needed) },
		func() error { return programs.Fetch(ctx, progress, root, needed) },
		func() error { return compile(ctx, progress) },
	); err != nil {
		return err
	}
	return programs.Together(
		func() error { return programs.Build(ctx, progress, root, needed) },
		func() error {
			return progress.Do("making chains", "wallets and money on private chains; a minute, once", func(t *programs.Task) error {
				return t.Run(ctx, root, func(line string) { t.Sayf("(%s)", line) }, "go", "run", "./deploy/dev", "chains")
			})
		})
}

// compile fills the compiler's cache with the packages of `make up` and `make demo`.
func compile(ctx context.Context, progress *programs.Progress) error {
	return programs.Compile(ctx, progress, "compiling durapay", root, nil, "./deploy/dev", "./cmd/durapay", "./e2e/demo")
}
