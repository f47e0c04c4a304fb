package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// released returns the files in secrets of an installation of v0.1.0, from its secrets.sh and
// its create-wallets.
func released() []string {
	return []string{
		"postgres-password", "durapay-db-password", "temporal-db-password", "pgpass", "pgpass-admin", "wallet-password", "wallet-login",
		"live-spend-login", "sandbox-login", "exchange-spend-login", "litecoin-login", "litecoin-passphrase",
		"live-view-key", "sandbox-view-key", "exchange-view-key", "wallets.json", "exchange-wallets.json",
	}
}

// TestAnUpgradeNeedsNoNewSecret checks that services name no new secret. Docker does not start
// a service that names a missing file, so an upgrade would stop running services. New secrets
// are only for a profile that no installation has chosen yet.
func TestAnUpgradeNeedsNoNewSecret(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	named := map[string]bool{}
	for name, s := range p.Services {
		if slices.Contains(s.Profiles, "stagenet") {
			continue
		}
		files := []string{}
		for _, secret := range s.Secrets {
			files = append(files, p.Secrets[secret.Source].File)
		}
		for _, list := range s.Configs {
			files = append(files, p.Configs[list.Source].File)
		}
		for _, file := range files {
			file = strings.TrimPrefix(relative(t, file), "secrets/")
			require.Contains(t, released(), file, "%s, of an installation that is upgraded", name)
			named[file] = true
		}
	}
	require.Len(t, named, len(released()))
}
