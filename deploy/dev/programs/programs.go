// Package programs finds the executables of the development stack and installs the missing
// ones: servers from the distribution's packages, Temporal from the Go module proxy. It
// downloads nothing else.
package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// ErrMissing is returned for a program that is not on this machine yet.
var ErrMissing = errors.New("program is missing")

// Program is one executable and the place it comes from.
type Program struct {
	// Name is the file's name.
	Name string
	// Package is the Debian and Ubuntu package with the program; empty if the program is built
	// from Module.
	Package string
	// Module is a directory below the repository's root with a Go module of
	// its own, and Command the import path of the main package to build there.
	Module, Command string
	// Places are glob patterns searched before PATH. The last match is used, which is the
	// highest version.
	Places []string
}

// The programs of the development stack, and Chromium.
//
//nolint:gochecknoglobals // a constant table
var (
	// Postgres is the database server, and Initdb makes its cluster.
	Postgres = postgres("postgres")
	Initdb   = postgres("initdb")
	// Monerod is the Monero daemon. WalletRPC serves one Monero wallet, and WalletCLI makes
	// wallets.
	Monerod   = Program{Name: "monerod", Package: "monero"}
	WalletRPC = Program{Name: "monero-wallet-rpc", Package: "monero"}
	WalletCLI = Program{Name: "monero-wallet-cli", Package: "monero"}
	// Litecoind is the Litecoin daemon with its wallets.
	Litecoind = Program{Name: "litecoind", Package: "litecoind"}
	// Tor is the SOCKS5 proxy.
	Tor = Program{Name: "tor", Package: "tor", Places: []string{"/usr/sbin/tor"}}
	// Chromium is the browser for tests of pages. The headless shell needs a third of the
	// browser process's load.
	Chromium = Program{Name: "chromium-headless-shell", Package: "chromium-headless-shell"}
	// Temporal is Temporal's command with its development server.
	Temporal = Program{Name: "temporal", Module: "tools/temporal", Command: "github.com/temporalio/cli/cmd/temporal"}
	// TemporalServer is Temporal's production server, in the version of docker-compose.yml.
	// TemporalSQLTool updates its databases to its schema, and TemporalUI is its web UI.
	TemporalServer  = Program{Name: "temporal-server", Module: "tools/temporal-server", Command: "go.temporal.io/server/cmd/server"}
	TemporalSQLTool = Program{Name: "temporal-sql-tool", Module: "tools/temporal-server", Command: "go.temporal.io/server/cmd/tools/sql"}
	TemporalUI      = Program{Name: "temporal-ui", Module: "tools/temporal-ui", Command: "github.com/temporalio/ui-server/v2/cmd/server"}
)

func postgres(name string) Program {
	return Program{Name: name, Package: "postgresql", Places: []string{"/usr/lib/postgresql/*/bin/" + name}}
}

// Servers returns all these programs, with those of one kind of Temporal.
func Servers(kind TemporalKind) []Program {
	return append(OfTemporal(kind), Postgres, Initdb, Monerod, WalletRPC, WalletCLI, Litecoind, Tor, Chromium)
}

// Find returns the program's absolute path. root is the repository, whose .dev/bin contains
// the built programs. The error is ErrMissing with the remedy.
func (p Program) Find(root string) (string, error) {
	places := append([]string{filepath.Join(root, ".dev", "bin", p.Name)}, p.Places...)
	for _, pattern := range places {
		if found := newest(pattern); found != "" {
			return found, nil
		}
	}
	if path, err := exec.LookPath(p.Name); err == nil {
		return filepath.Abs(path)
	}
	remedy := "package " + p.Package
	if p.Package == "" {
		remedy = "built by `go run ./deploy/dev/install`"
	}
	return "", fmt.Errorf("%w: %s (%s)", ErrMissing, p.Name, remedy)
}

// newest returns the absolute path of the last executable that matches.
func newest(pattern string) string {
	found, _ := filepath.Glob(pattern) // the patterns are constants and well formed
	for _, path := range slices.Backward(found) {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
			if path, err = filepath.Abs(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// PostgresUser returns the user of the server if the caller is root, because Postgres does not
// run as root: the distribution's user postgres, or the user nobody.
func PostgresUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // no other user
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		account, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("a user for postgres: %w", err)
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(uidErr, gidErr)
}

// TemporalKind is the kind of a stack's Temporal server.
type TemporalKind string

// The kinds of Temporal.
const (
	// TemporalDevelopment is the development server of the temporal command, with
	// its web UI, on a SQLite file.
	TemporalDevelopment TemporalKind = "dev"
	// TemporalProduction is the production server, on the stack's PostgreSQL.
	TemporalProduction TemporalKind = "server"
)

// ErrTemporalKind is returned for an unknown kind of Temporal.
var ErrTemporalKind = errors.New("which Temporal")

// TemporalVariable names the kind in a process's environment.
const TemporalVariable = "DEV_TEMPORAL"

// ChosenTemporal returns the kind that the process's environment selects; by default the
// development server.
func ChosenTemporal() (TemporalKind, error) { return ParseTemporal(os.Getenv(TemporalVariable)) }

// ParseTemporal returns the kind with a name: dev, server, or empty for the development
// server. The error is ErrTemporalKind.
func ParseTemporal(name string) (TemporalKind, error) {
	switch kind := TemporalKind(name); kind {
	case "":
		return TemporalDevelopment, nil
	case TemporalDevelopment, TemporalProduction:
		return kind, nil
	default:
		return "", fmt.Errorf("%w: %s is %q; there are %s and %s",
			ErrTemporalKind, TemporalVariable, name, TemporalDevelopment, TemporalProduction)
	}
}

// OfTemporal returns the programs of a kind.
func OfTemporal(kind TemporalKind) []Program {
	if kind == TemporalProduction {
		return []Program{TemporalServer, TemporalSQLTool, TemporalUI}
	}
	return []Program{Temporal}
}
