// Package pgtest gives each test a database of its own with the current
// schema. The schema is migrated once into a template, and a test's database
// is a copy of it, or one that another test has used: its rows are removed, and
// its sessions stay, which saves half of a test's time. A database that cannot be
// made as new is removed. The server is the one that DURAPAY_TEST_DATABASE_URL
// names, or else a private one that the first test of the process starts; it ends,
// and its files go, with the process, however that ends.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// maxWait is how long the server may take for anything on a busy machine.
const maxWait = 8 * time.Minute

// connections is the pool size of a test's store.
const connections = 8

// New is a database with the current schema and nothing of another test in it. It is the
// test's own until the test ends.
func New(tb testing.TB) *postgres.Store {
	tb.Helper()
	s := running(tb)
	d := s.take(tb)
	tb.Cleanup(func() { s.giveBack(tb, d) })
	return d.store
}

// NewEmpty makes a database without a schema and removes it when the test ends.
func NewEmpty(tb testing.TB) *postgres.Store {
	tb.Helper()
	store, err := postgres.Open(tb.Context(), newURL(tb, "template1"), connections, postgres.ByHand)
	require.NoError(tb, err)
	tb.Cleanup(store.Close)
	return store
}

// NewURL is New for those who open the database themselves, such as a process
// under test: the connection URL of a fresh database.
func NewURL(tb testing.TB) string {
	tb.Helper()
	return newURL(tb, template())
}

// newURL is the connection URL of a copy of another database of the server.
func newURL(tb testing.TB, origin string) string {
	tb.Helper()
	s := running(tb)
	name := s.create(tb, origin)
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), maxWait)
		defer cancel()
		require.NoError(tb, s.drop(ctx, name))
	})
	return s.database(name)
}

func running(tb testing.TB) *server {
	tb.Helper()
	s, err := sharedServer()
	require.NoError(tb, err, "a PostgreSQL server for tests (install postgresql, or set DURAPAY_TEST_DATABASE_URL)")
	return s
}

// create makes a copy of another database.
func (s *server) create(tb testing.TB, origin string) (name string) {
	tb.Helper()
	name = secret.NewID("durapay_test_")
	require.NoError(tb, s.exec(tb.Context(), fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY file_copy", name, origin)))
	return name
}

func (s *server) drop(ctx context.Context, name string) error {
	return s.insist(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", name))
}

// server is where databases are made.
type server struct {
	admin *url.URL
	// lease keeps a private server running.
	lease io.Closer
}

// sharedServer is the server of this process, ready with the template.
//
//nolint:gochecknoglobals // one server per test process is the purpose of this package
var sharedServer = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	address := os.Getenv("DURAPAY_TEST_DATABASE_URL")
	var lease io.Closer
	if address == "" {
		var err error
		if address, lease, err = startServer(); err != nil {
			return nil, err
		}
	}
	admin, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("DURAPAY_TEST_DATABASE_URL is not a URL")
	}
	s := &server{admin, lease}
	if err := s.await(ctx); err != nil {
		return nil, err
	}
	return s, s.prepare(ctx)
})

// database is the URL of another database on the server.
func (s *server) database(name string) string {
	u := *s.admin
	u.Path = "/" + name
	return u.String()
}

// exec runs statements on a connection of their own, as CREATE DATABASE wants.
func (s *server) exec(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	for _, sql := range statements {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// objectInUse is PostgreSQL's code for a database that still has sessions.
const objectInUse = "55006"

// insist runs a statement that needs a database without sessions. Sessions that
// were ended may take some time to disappear, on a busy machine longer than
// PostgreSQL waits for them.
func (s *server) insist(ctx context.Context, sql string) error {
	for {
		err := s.exec(ctx, sql)
		if e, ok := errors.AsType[*pgconn.PgError](err); !ok || e.Code != objectInUse || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // PostgreSQL does not say when a session is gone
	}
}

// await returns once the server answers.
func (s *server) await(ctx context.Context) error {
	for {
		err := s.exec(ctx, "SELECT 1")
		if err == nil || ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // PostgreSQL does not say when it answers: it is asked
	}
}

// templateLock keeps two processes from making the template at once.
const templateLock = 7_236_514

// template is named after the schema, so that a changed migration gets a new one.
func template() string { return "durapay_template_" + postgres.SchemaDigest() }

// prepare makes the template if the server has none. It is renamed only when it is
// complete, and gets no connection afterwards.
func (s *server) prepare(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", templateLock); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template()).Scan(&exists)
	if err != nil || exists {
		return err
	}
	unfinished := template() + "_unfinished"
	if err := s.exec(ctx, "DROP DATABASE IF EXISTS "+unfinished, "CREATE DATABASE "+unfinished); err != nil {
		return err
	}
	if err := s.migrate(ctx, unfinished); err != nil {
		return err
	}
	return s.insist(ctx, fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", unfinished, template()))
}

func (s *server) migrate(ctx context.Context, name string) error {
	store, err := postgres.Open(ctx, s.database(name), 2, postgres.Migrating)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
