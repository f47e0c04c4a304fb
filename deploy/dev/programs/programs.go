// Package programs finds the executables that the development stack consists
// of, and installs what is missing: servers from the distribution's packages,
// Temporal from the Go module proxy. Nothing else is ever downloaded.
package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// ErrMissing says that a program is not on this machine yet.
var ErrMissing = errors.New("program is missing")

// Program is one executable and the place it comes from.
type Program struct {
	// Name is the file's name.
	Name string
	// Package is the Debian and Ubuntu package that holds it; empty when the
	// program is built from Module.
	Package string
	// Module is a directory below the repository's root with a Go module of
	// its own, and Command the import path of the main package to build there.
	Module, Command string
	// Places are glob patterns searched before PATH; the last match wins, so
	// that the highest version does.
	Places []string
}

// Postgres is the database server.
func Postgres() Program { return postgres("postgres") }

// Initdb makes a Postgres cluster.
func Initdb() Program { return postgres("initdb") }

// Monerod is the Monero daemon.
func Monerod() Program { return Program{Name: "monerod", Package: "monero"} }

// WalletRPC serves one Monero wallet.
func WalletRPC() Program { return Program{Name: "monero-wallet-rpc", Package: "monero"} }

// WalletCLI makes Monero wallets.
func WalletCLI() Program { return Program{Name: "monero-wallet-cli", Package: "monero"} }

// Litecoind is the Litecoin daemon with its wallets.
func Litecoind() Program { return Program{Name: "litecoind", Package: "litecoind"} }

// Tor is the SOCKS5 proxy.
func Tor() Program {
	return Program{Name: "tor", Package: "tor", Places: []string{"/usr/sbin/tor"}}
}

// Chromium is the browser of the tests of pages. Its shell without windows, menus and
// extensions starts and works with a third of the browser process's load.
func Chromium() Program {
	return Program{Name: "chromium-headless-shell", Package: "chromium-headless-shell"}
}

// Servers are the programs of the development stack, and Chromium for the tests
// of pages.
func Servers(kind TemporalKind) []Program {
	return append(OfTemporal(kind),
		Postgres(), Initdb(), Monerod(), WalletRPC(), WalletCLI(), Litecoind(), Tor(), Chromium())
}

func postgres(name string) Program {
	return Program{
		Name: name, Package: "postgresql",
		Places: []string{"/usr/lib/postgresql/*/bin/" + name},
	}
}

// Find returns the program's absolute path. root is the repository, whose
// .dev/bin holds what was built. The error is ErrMissing with the remedy.
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
	return "", fmt.Errorf("%w: %s (%s)", ErrMissing, p.Name, p.remedy())
}

func (p Program) remedy() string {
	if p.Package != "" {
		return "package " + p.Package
	}
	return "built by `go run ./deploy/dev/install`"
}

// newest is the absolute path of the last executable that matches.
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
