package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// keyFolders returns the folders below secrets/keys that a service sees, and whether it may
// change them.
func keyFolders(t *testing.T, s types.ServiceConfig) (folders []string, mayChange bool) {
	t.Helper()
	for _, v := range s.Volumes {
		if v.Type != types.VolumeTypeBind {
			continue
		}
		if rest, ok := strings.CutPrefix(relative(t, v.Source)+"/", "secrets/keys/"); ok {
			folders = append(folders, strings.TrimSuffix(rest, "/"))
			require.Equal(t, filepath.Join("/keys", rest), v.Target, s.Name)
			mayChange = mayChange || !v.ReadOnly
		}
	}
	slices.Sort(folders)
	return folders, mayChange
}

// TestServicesSeeTheirKeysAlone checks that each service sees only the keys of its own kinds
// of data.
func TestServicesSeeTheirKeysAlone(t *testing.T) {
	t.Parallel()
	extra := map[string][]string{
		"worker": {"codec", "temporal/client", "payloads"}, "worker-more": {"codec", "temporal/client", "payloads"},
		"merchant-api": {"temporal/client", "payloads"}, "merchant-api-more": {"temporal/client", "payloads"}, "swap-api": {"temporal/client", "payloads"},
		"temporal": {"temporal/server"}, "temporal-ui": {"temporal/ui"}, "temporal-namespace": {"temporal/client"},
		"keygen": {""}, "admin": {""},
	}
	for name, s := range project(t, chosen()...).Services {
		want := extra[name]
		if kinds := secret.KindsOf(strings.TrimSuffix(name, "-more")); name != "admin" {
			for _, kind := range kinds {
				want = append(want, string(kind))
			}
		}
		slices.Sort(want)
		got, mayChange := keyFolders(t, s)
		require.Equal(t, want, got, name)
		require.Equal(t, name == "keygen" || name == "admin", mayChange, "%s: only by hand", name)
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind && strings.HasPrefix(relative(t, v.Source), "secrets") && v.ReadOnly {
				require.False(t, bool(v.Bind.CreateHostPath), "%s: Docker would make %s as root, and empty", name, v.Source)
			}
		}
	}
}

// TestServicesSeeTheirSecretsAlone checks the other secrets: a service that the internet can
// reach has the database's password and no secret of a wallet.
func TestServicesSeeTheirSecretsAlone(t *testing.T) {
	t.Parallel()
	p := project(t, chosen()...)
	for _, name := range []string{"merchant-api", "merchant-api-more", "swap-api", "migrate", "admin"} {
		require.Len(t, p.Services[name].Secrets, 1, name)
		require.Equal(t, "pgpass", p.Services[name].Secrets[0].Source, name)
	}
}

// TestTheSwapAPIsFilesMakeNoSession checks that the files of the swap API do not allow
// creating a session of a merchant: the key is in none of them, under any name.
func TestTheSwapAPIsFilesMakeNoSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	key := content(t, secret.SessionKeyFile(dir))
	require.Len(t, key, 64)
	for _, name := range []string{"swap-api", "worker", "temporal", "temporal-ui"} {
		folders, _ := keyFolders(t, project(t, chosen()...).Services[name])
		require.NotEmpty(t, folders)
		for _, folder := range folders {
			require.NoError(t, filepath.WalkDir(filepath.Join(dir, folder), func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					require.NotContains(t, read(t, path), key, "%s sees %s", name, path)
				}
				return err
			}))
		}
	}
	box, err := secret.OpenFolder(dir, secret.KindsOf(secret.SwapAPI)...)
	require.NoError(t, err)
	_, err = box.Unseal([]byte("x"), secret.AD{Table: "merchants", Column: "totp_secret", ID: "m"})
	require.ErrorIs(t, err, secret.ErrNoKey)
}

// TestCertificatesAreWhereTheyAreNamed checks that keygen creates every certificate that a
// setting names.
func TestCertificatesAreWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, secret.NewFolder(dir))
	named := 0
	for name, s := range project(t, chosen()...).Services {
		for key, value := range s.Environment {
			if value == nil || !strings.HasPrefix(*value, "/keys/temporal/") {
				continue
			}
			named++
			made := filepath.Join(dir, strings.TrimPrefix(*value, "/keys/"))
			_, err := os.Stat(made)
			require.NoError(t, err, "%s: %s", name, key)
		}
	}
	require.Greater(t, named, 10)
	require.Equal(t, "true", *project(t, chosen()...).Services["temporal"].Environment["TEMPORAL_TLS_REQUIRE_CLIENT_AUTH"])
}

// hasSecret reports whether a service reads a secret at a path.
func hasSecret(s types.ServiceConfig, path string) bool {
	return slices.ContainsFunc(s.Secrets, func(c types.ServiceSecretConfig) bool {
		return c.Target == path || "/run/secrets/"+c.Source == path && c.Target == ""
	})
}

// requireLogin checks that the process at a URL requires the login in a file that the worker
// reads, and that no other process does.
func requireLogin(t *testing.T, p *types.Project, url, file string) {
	t.Helper()
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), ":18082")
	for name, s := range p.Services {
		for _, secret := range s.Secrets {
			if "/run/secrets/"+secret.Source == file && name != host {
				require.Contains(t, []string{"worker", "worker-more"}, name, "%s is the login of %s alone", file, host)
			}
		}
	}
	require.True(t, slices.ContainsFunc(p.Services[host].Secrets, func(s types.ServiceSecretConfig) bool {
		return "/run/secrets/"+s.Source == file && s.Target == "login"
	}), host)
	require.Equal(t, "/run/secrets/login", *p.Services[host].Environment["WALLET_LOGIN_FILE"])
}
