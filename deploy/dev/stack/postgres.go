package stack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// postgres is a private cluster with fsync on, because tests kill it.
func postgres() part {
	return part{
		name:     "postgres",
		ports:    []port{{"postgres", 15432}},
		programs: []programs.Program{programs.Postgres, programs.Initdb},
		stop:     syscall.SIGINT, // "fast": does not wait for clients
		retries:  60,             // it does not start until the children of a killed server have ended
		prepare:  preparePostgres,
		command:  postgresCommand,
		ready: func(ctx context.Context, s *Stack) error {
			return s.asAdmin(ctx, func(c *pgx.Conn) error { return c.Ping(ctx) })
		},
		// The role may create databases, because tests copy them from a template.
		settle: func(ctx context.Context, s *Stack) error {
			return s.makeDatabases(ctx, "durapay", "postgres", "durapay")
		},
	}
}

func postgresCommand(s *Stack) (command, error) {
	owner, err := programs.PostgresUser()
	args := []string{
		"-D", s.postgresData(),
		"-c", "listen_addresses=127.0.0.1",
		"-c", fmt.Sprintf("port=%d", s.ports["postgres"]),
		"-c", "unix_socket_directories=",
		"-c", "max_connections=200",
		"-c", "shared_buffers=128MB",
		"-c", "logging_collector=off",
	}
	return command{args: args, dir: s.postgresData(), user: owner}, err
}

// preparePostgres creates the cluster.
func preparePostgres(ctx context.Context, s *Stack) error {
	if _, err := os.Stat(filepath.Join(s.postgresData(), "PG_VERSION")); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cluster: %w", err)
	}
	owner, err := programs.PostgresUser()
	if err != nil {
		return err
	}
	return s.initdb(ctx, owner)
}

func (s *Stack) initdb(ctx context.Context, owner *syscall.Credential) error {
	path, err := programs.Initdb.Find(s.root)
	if err != nil {
		return err
	}
	home := s.postgresHome()
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	passwordFile := filepath.Join(home, "initial-password")
	if err := os.WriteFile(passwordFile, []byte(s.secret("postgres-admin")), 0o600); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer func() { _ = os.Remove(passwordFile) }()
	if owner != nil {
		for _, p := range []string{home, passwordFile} {
			if err := os.Chown(p, int(owner.Uid), int(owner.Gid)); err != nil {
				return fmt.Errorf("cluster: %w", err)
			}
		}
	}
	cmd := exec.CommandContext(ctx, path, "-D", s.postgresData(), "-U", "postgres",
		"--auth=scram-sha-256", "--pwfile="+passwordFile, "--encoding=UTF8", "--locale=C")
	cmd.Dir, cmd.SysProcAttr = home, &syscall.SysProcAttr{Credential: owner}
	if err := run(cmd, "initdb"); err != nil {
		return errors.Join(err, os.RemoveAll(s.postgresData()))
	}
	return nil
}

// makeDatabases creates a role with a secret as its password, and its databases, unless they
// exist.
func (s *Stack) makeDatabases(ctx context.Context, role, secret string, names ...string) error {
	return s.asAdmin(ctx, func(c *pgx.Conn) error {
		unless := func(exists, name, statement string) error {
			var there int
			err := c.QueryRow(ctx, exists, name).Scan(&there)
			if err == nil && there == 0 {
				_, err = c.Exec(ctx, statement)
			}
			if err != nil {
				return fmt.Errorf("create the databases of %s: %w", role, err)
			}
			return nil
		}
		err := unless("SELECT count(*) FROM pg_roles WHERE rolname = $1", role, "CREATE ROLE "+role+" LOGIN CREATEDB PASSWORD '"+s.secret(secret)+"'")
		for _, name := range names {
			if err == nil {
				err = unless("SELECT count(*) FROM pg_database WHERE datname = $1", name, "CREATE DATABASE "+name+" OWNER "+role)
			}
		}
		return err
	})
}

func (s *Stack) asAdmin(ctx context.Context, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.postgresURL("postgres", "postgres-admin", "postgres"))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return errors.Join(do(conn), conn.Close(ctx))
}

func (s *Stack) databaseURL() string { return s.postgresURL("durapay", "postgres", "durapay") }

func (s *Stack) postgresURL(role, secret, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, s.secret(secret)),
		Host: s.Addr("postgres"), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

func (s *Stack) postgresData() string { return filepath.Join(s.postgresHome(), "cluster") }

// postgresHome returns a folder in the stack's directory. If the server runs as another user
// who cannot enter that directory, the folder is below /var/tmp.
func (s *Stack) postgresHome() string {
	if os.Geteuid() != 0 || everyoneMayEnter(s.dir) {
		return s.path("data", "postgres")
	}
	sum := sha256.Sum256([]byte(s.dir))
	return fmt.Sprintf("/var/tmp/durapay-postgres-%x", sum[:6])
}

func everyoneMayEnter(dir string) bool {
	for ; dir != "/"; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil || info.Mode()&0o001 == 0 {
			return false
		}
	}
	return true
}
