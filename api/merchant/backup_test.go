package merchant_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// withKeys makes a service use the keys of a folder.
func withKeys(t *testing.T, dir string) func(*merchant.Deps) {
	t.Helper()
	return func(d *merchant.Deps) {
		var err error
		d.Box, err = secret.Open(filepath.Join(dir, "keyset.json"))
		require.NoError(t, err)
		d.Index, err = secret.OpenBlindIndex(filepath.Join(dir, "blind-index"))
		require.NoError(t, err)
	}
}

func TestBackupIsRestoredElsewhere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skip("pg_dump is not installed (package postgresql-client)")
	}
	keys := t.TempDir()
	require.NoError(t, secret.NewKeysetFile(filepath.Join(keys, "keyset.json")))
	require.NoError(t, secret.NewBlindIndexFile(filepath.Join(keys, "blind-index")))
	b := setup(t, withKeys(t, keys))
	s := b.own(t)
	paths := []string{
		"/api/charges", "/api/charges/" + s.charge, "/api/payment-requests", "/api/webhooks/deliveries", "/api/reports/summary", "/api/charges/" + s.charge + "/qr",
	}
	before := map[string]string{}
	for _, path := range paths {
		before[path] = b.send(t, http.MethodGet, path, key(s.live), "").require(t, http.StatusOK).body
	}
	digest := b.digest(t)

	dumps, kept := t.TempDir(), t.TempDir()
	name := b.store.Pool().Config().ConnConfig.Database
	made := strings.TrimSpace(b.operate(t, []string{"SECRETS_DIR=" + keys, "DATABASES=" + name}, "backup.sh", dumps, kept))
	b.requestAfterwards(t, s)
	copied, err := filepath.Glob(filepath.Join(kept, "*"))
	require.NoError(t, err)
	require.Len(t, copied, 1)
	elsewhere := name + "_restored"
	require.NoError(t, os.Rename(filepath.Join(made, name+".dump"), filepath.Join(made, elsewhere+".dump")))
	store := b.empty(t, elsewhere)
	b.operate(t, []string{"DATABASES=" + elsewhere}, "restore.sh", made)

	again := setup(t, withKeys(t, copied[0]), func(d *merchant.Deps) { d.Store, d.Clock = store, b.clock.Now })
	again.store = store
	require.Equal(t, digest, again.digest(t))
	for _, path := range paths {
		require.Equal(t, before[path], again.send(t, http.MethodGet, path, key(s.live), "").require(t, http.StatusOK, path).body)
	}
	again.login(t, s.email, password).require(t, http.StatusOK)
	require.Equal(t, s.email, again.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK).text(t, "merchant.email"))
	requireSecretOpens(t, again, copied[0], s)
	again.requested(t, s.live, `{"amount":1}`)
	require.NoError(t, store.Migrate(t.Context()), "the restored schema is one that migrations go on from")
	require.ErrorContains(t, witnesstest.Opened(store, "live-1").Compare(t.Context(), "live-1"), "restored from a backup", "though every place agrees")

	testLostKeys(t, store, b, s)
}

// testLostKeys shows what a database without its keyset contains: identifiers and amounts are
// readable, sealed values are not, and no merchant can log in.
func testLostKeys(t *testing.T, store *postgres.Store, b *bench, s belongings) {
	t.Helper()
	lost := setup(t, func(d *merchant.Deps) { d.Store, d.Clock = store, b.clock.Now })
	lost.send(t, http.MethodGet, "/api/charges/"+s.charge, key(s.live), "").require(t, http.StatusOK)
	lost.login(t, s.email, password).require(t, http.StatusUnauthorized)
	lost.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusInternalServerError)
}

// requestAfterwards inserts a row that the backup must not contain, because the backup was made
// earlier.
func (b *bench) requestAfterwards(t *testing.T, s belongings) {
	t.Helper()
	b.requested(t, s.live, `{"amount":2}`)
}

func requireSecretOpens(t *testing.T, b *bench, keys string, s belongings) {
	t.Helper()
	box, err := secret.Open(filepath.Join(keys, "keyset.json"))
	require.NoError(t, err)
	hook, err := b.store.GetWebhook(t.Context(), db.GetWebhookParams{ID: s.webhook, MerchantID: s.id})
	require.NoError(t, err)
	plain, err := box.Unseal(hook.SecretSealed, secret.AD{Table: "webhooks", Column: "secret", ID: s.webhook})
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{64}$`, string(plain))
}

// empty creates a database next to the bench's own.
func (b *bench) empty(t *testing.T, name string) *postgres.Store {
	t.Helper()
	config := b.store.Pool().Config().ConnConfig
	_, err := b.store.Pool().Exec(t.Context(), "CREATE DATABASE "+name)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := b.store.Pool().Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		require.NoError(t, err)
	})
	store, err := postgres.Open(t.Context(), strings.Replace(b.store.Pool().Config().ConnString(), config.Database, name, 1), 4, postgres.Serving)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// operate runs an installation script against the bench's database server.
func (b *bench) operate(t *testing.T, env []string, script string, args ...string) string {
	t.Helper()
	config := b.store.Pool().Config().ConnConfig
	cmd := exec.CommandContext(t.Context(), "/bin/sh", append([]string{filepath.Join("..", "..", "deploy", "postgres", script)}, args...)...)
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "PGHOST=" + config.Host, "PGUSER=" + config.User, "PGPASSWORD=" + config.Password, "RUN=",
	}, env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}
