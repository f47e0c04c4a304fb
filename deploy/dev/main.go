// Command dev runs the development stack: `go run ./deploy/dev help`.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/testkit"
	"github.com/durapay/durapay/internal/utxo"
)

// stateDir is the directory of the stack of `make up`, relative to the repository.
const stateDir = ".dev"

const usage = `usage: dev COMMAND

  up       [-parts a,b] [-sandbox wallet]
                         start what does not run, wait until all is ready
  down     [-clean]      stop everything; -clean also forgets the data
  restart  PART          stop and start one part
  status                 what runs
  env                    addresses, log files and process ids
  pay      CHARGE        pay a live charge on the stack's chain, and mine its blocks
  admin    ARGS          an operators' command on the stack; --help lists them
  chains                 give a new stack its chains, which are made once for all
  mine     -daemon URL -address ADDRESS -every DURATION
  keep-litecoin -address ADDRESS -every DURATION (the daemon is LITECOIN_RPC_URL)
  mail     -smtp ADDRESS -http ADDRESS   take mails, and show them
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		args = []string{"help"}
	}
	command, known := map[string]func(context.Context, []string, io.Writer) error{
		"up": up, "down": down, "restart": restart, "status": status, "env": printEnv, "pay": pay, "admin": admin, "chains": chains,
		"mine": mine, "keep-litecoin": keepLitecoin, "mail": mail,
	}[args[0]]
	if !known {
		_, err := io.WriteString(out, usage)
		return err
	}
	return command(ctx, args[1:], out)
}

func up(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	parts := flags.String("parts", "", "comma-separated `names`; all when empty")
	sandbox := flags.String("sandbox", "simulated", "`what` pays the sandbox's charges: simulated or wallet")
	if err := flags.Parse(args); err != nil {
		return err
	}
	begun := time.Now()
	var o stack.Options
	o.Parts = strings.FieldsFunc(*parts, func(r rune) bool { return r == ',' })
	switch *sandbox {
	case "simulated":
	case "wallet":
		o.Asked = stack.SandboxWallets()
	default:
		return fmt.Errorf("-sandbox %s: it must be simulated or wallet", *sandbox)
	}
	return locked(ctx, out, o, func(s *stack.Stack) error {
		if err := s.Up(ctx); err != nil {
			return err
		}
		fmt.Fprintf(out, "Everything is ready after %s.\n", time.Since(begun).Round(100*time.Millisecond))
		return summary(s, out)
	})
}

func down(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("down", flag.ContinueOnError)
	clean := flags.Bool("clean", false, "forget the data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return locked(ctx, out, stack.Options{}, func(s *stack.Stack) error {
		if err := s.Stop(); err != nil || !*clean {
			return err
		}
		return s.Clean()
	})
}

func restart(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("restart takes the name of one part")
	}
	return locked(ctx, out, stack.Options{}, func(s *stack.Stack) error { return s.Restart(ctx, args[0]) })
}

func status(ctx context.Context, _ []string, out io.Writer) error {
	return locked(ctx, out, stack.Options{}, func(s *stack.Stack) error {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, p := range s.Status(ctx) {
			state := "down"
			switch {
			case p.Ready:
				state = "ready"
			case p.PID != 0:
				state = "not ready"
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", p.Name, state, p.PID, p.Log)
		}
		return table.Flush()
	})
}

func printEnv(_ context.Context, _ []string, out io.Writer) error {
	b, err := os.ReadFile(filepath.Join(stateDir, "env"))
	if err != nil {
		return fmt.Errorf("the stack is not up: %w", err)
	}
	_, err = out.Write(b)
	return err
}

// admin runs an operators' command. Other commands can use the stack meanwhile.
func admin(ctx context.Context, args []string, out io.Writer) error {
	var cmd *exec.Cmd
	err := locked(ctx, io.Discard, stack.Options{}, func(s *stack.Stack) (err error) {
		cmd, err = s.Admin(ctx, args...)
		return err
	})
	if err != nil {
		return err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, out, os.Stderr
	return cmd.Run()
}

// chains makes the chains of a stack that has none yet.
func chains(ctx context.Context, _ []string, out io.Writer) error {
	return locked(ctx, out, stack.Options{}, func(s *stack.Stack) error { return s.CopyChains(ctx) })
}

func mine(ctx context.Context, args []string, _ io.Writer) error {
	flags := flag.NewFlagSet("mine", flag.ContinueOnError)
	daemon := flags.String("daemon", "", "`URL` of monerod")
	address := flags.String("address", "", "who gets the reward")
	every := flags.Duration("every", 10*time.Second, "time between two blocks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *every <= 0 {
		return errors.New("-every must be positive")
	}
	stack.KeepMining(ctx, *daemon, *address, *every, noBlock)
	return nil
}

func keepLitecoin(ctx context.Context, args []string, _ io.Writer) error {
	flags := flag.NewFlagSet("keep-litecoin", flag.ContinueOnError)
	address := flags.String("address", "", "who gets the reward")
	every := flags.Duration("every", 10*time.Second, "time between two blocks; 0 mines none")
	if err := flags.Parse(args); err != nil {
		return err
	}
	client, err := utxo.New(utxo.Endpoint{URL: os.Getenv("LITECOIN_RPC_URL")}, utxo.Options{})
	if err != nil {
		return err
	}
	stack.KeepLitecoin(ctx, client, *address, *every, noBlock)
	return nil
}

func noBlock(err error) { slog.Warn("no block", "error", err) }

func mail(ctx context.Context, args []string, _ io.Writer) error {
	flags := flag.NewFlagSet("mail", flag.ContinueOnError)
	smtp := flags.String("smtp", "127.0.0.1:1025", "`address` that takes mails")
	web := flags.String("http", "127.0.0.1:8025", "`address` that shows them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return testkit.ServeMails(ctx, *smtp, *web)
}

// readyTimeout is how long a part may take to become ready. A part that takes longer needs an
// operator, for example in safe mode.
const readyTimeout = 2 * time.Minute

// locked runs do with the repository's own stack, while no other command uses it. o selects its
// parts.
func locked(ctx context.Context, out io.Writer, o stack.Options, do func(*stack.Stack) error) error {
	unlock, err := stack.Lock(ctx, stateDir)
	if err != nil {
		return err
	}
	defer unlock()
	o.Dir, o.Env, o.Output, o.ReadyTimeout = stateDir, stack.CallerEnv(), out, readyTimeout
	o.Log = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	s, err := stack.Open(o)
	if err != nil {
		return err
	}
	return do(s)
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey) {
		return slog.Attr{}
	}
	return a
}

// summary prints the addresses that a person needs next.
func summary(s *stack.Stack, out io.Writer) error {
	env := s.Env()
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-16s %s\n", name, fmt.Sprintf(format, args...))
	}
	for _, place := range [][3]string{
		{"merchants", "MERCHANT_URL", "sign up here"}, {"documentation", "DOCS_URL", ""},
		{"operators' desk", "OPERATOR_DESK_URL", "after make admin args=\"grant EMAIL\", with two-factor login on"},
		{"swap API", "SWAP_URL", ""}, {"mails", "MAIL_URL", "every mail that was sent"},
		{"metrics, worker", "WORKER_METRICS_URL", ""}, {"metrics, API", "MERCHANT_METRICS_URL", ""}, {"metrics, swaps", "SWAP_METRICS_URL", ""},
		{"Temporal's UI", "TEMPORAL_UI_URL", ""},
	} {
		if url := env[place[1]]; url != "" {
			line(place[0], "%s", strings.TrimSpace(fmt.Sprintf("%-34s %s", url, place[2])))
		}
	}
	if file := env["CODEC_TOKEN_FILE"]; env["TEMPORAL_UI_URL"] != "" && file != "" {
		token, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("the token of Temporal's UI: %w", err)
		}
		line("  its login", "%s", strings.TrimSpace(string(token)))
	}
	if env["MERCHANT_URL"] != "" {
		sandbox := "simulated: press Pay at a charge, or POST /api/test/charges/ch_…/pay"
		if s.Sandbox() == config.SandboxWallet {
			sandbox = "on a chain, as on stagenet: make pay charge=ch_… (make down, then make up, simulates it again)"
		}
		line("sandbox", "%s", sandbox)
		line("its events", ".dev/bin/durapay listen --api %s --key cm_test_… --forward-to http://localhost:3000/", env["MERCHANT_URL"])
		line("live charges", "make pay charge=ch_… pays one on the development chain, and mines")
	}
	line("everything", "%s", filepath.Join(s.Dir(), "env"))
	return nil
}
