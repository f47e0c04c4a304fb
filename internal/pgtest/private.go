package pgtest

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// keeper runs the server until its standard input ends, which is when the
// test process ends, and then removes the folder.
const keeper = `"$1"/postgres -D "$2"/data & read -r _; kill -QUIT $!; wait $!; rm -rf "$2"`

// fast turns off the protection of data, because no test needs it afterwards.
const fast = `
listen_addresses = ''
max_connections = 400
shared_buffers = 64MB
fsync = off
synchronous_commit = off
full_page_writes = off
autovacuum = off
log_min_messages = warning
`

// startServer makes a cluster in a temporary folder and starts it on a unix
// socket in that folder. It returns before the server answers. The server runs
// as long as lease is held: closed by a finalizer or with the process, it ends.
func startServer() (address string, lease io.Closer, err error) {
	bin, err := binaries()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(memory(), "durapay-pg-")
	if err != nil {
		return "", nil, fmt.Errorf("folder: %w", err)
	}
	run, err := runner(dir)
	if err != nil {
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := run(filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	settings := fmt.Sprintf("%sunix_socket_directories = '%s'\n", fast, dir)
	if err := appendFile(filepath.Join(data, "postgresql.conf"), settings); err != nil {
		return "", nil, err
	}
	server := run("/bin/sh", "-c", keeper, "sh", bin, dir)
	lease, err = server.StdinPipe()
	if err != nil {
		return "", nil, fmt.Errorf("pipe: %w", err)
	}
	if err := server.Start(); err != nil {
		return "", nil, fmt.Errorf("start: %w", err)
	}
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(dir), lease, nil
}

// runner makes commands that run in a process group of their own, which an
// interrupt of the terminal does not reach, and not as root, which PostgreSQL
// refuses.
func runner(dir string) (func(name string, args ...string) *exec.Cmd, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		uid, gid, err := unprivileged()
		if err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(uid), int(gid)); err != nil {
			return nil, fmt.Errorf("folder: %w", err)
		}
		attr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	return func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...) //nolint:noctx // the server outlives every test's context
		cmd.Dir, cmd.SysProcAttr = dir, attr
		return cmd
	}, nil
}

func unprivileged() (uid, gid uint32, err error) {
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return 0, 0, fmt.Errorf("an account to run PostgreSQL as: %w", err)
		}
	}
	u, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return 0, 0, fmt.Errorf("account: %w", err)
	}
	g, err := strconv.ParseUint(account.Gid, 10, 32)
	return uint32(u), uint32(g), err
}

// binaries is the folder of the newest PostgreSQL of the distribution, or of
// the one in the PATH.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		slices.Sort(found)
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	return filepath.Dir(path), nil
}

func appendFile(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// enoughMemory is the free space, in bytes, that a file system in memory must
// have: a database of a test is some 11 MB, and those of side-by-side tests
// together stay well below.
const enoughMemory = 4 << 30

// memory is the folder of a file system in memory, or nothing where the
// machine has none that is large enough; os.MkdirTemp then takes the usual one.
// A database is a thousand small files: to make and to remove them there takes
// a fifth of the time that it takes on a disk.
func memory() string {
	const folder = "/dev/shm"
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil || fs.Type != unix.TMPFS_MAGIC || int64(fs.Bavail)*fs.Bsize < enoughMemory {
		return ""
	}
	return folder
}
