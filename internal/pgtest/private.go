package pgtest

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/testkit"
)

// startServer makes a cluster in a temporary folder and starts it on a unix
// socket in that folder. It returns before the server answers. The server runs
// as long as lease is held: closed by a finalizer or with the process, it ends.
func startServer() (address string, lease io.Closer, err error) {
	initdb, err := programs.Initdb.Find(".")
	if err != nil {
		return "", nil, err
	}
	owner, err := programs.PostgresUser()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(memory(), "durapay-pg-")
	if err == nil && owner != nil {
		err = os.Chown(dir, int(owner.Uid), int(owner.Gid))
	}
	if err != nil {
		return "", nil, fmt.Errorf("folder: %w", err)
	}
	data := filepath.Join(dir, "data")
	cmd := exec.Command(initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync") //nolint:noctx // the server outlives every test's context
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("initdb: %w: %s", err, out), os.RemoveAll(dir))
	}
	server := []string{filepath.Join(filepath.Dir(initdb), "postgres"), "-D", data}
	for _, setting := range []string{
		"unix_socket_directories=" + dir, "listen_addresses=", "max_connections=400", "shared_buffers=64MB", "log_min_messages=warning",
		// No test needs the data afterwards.
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off",
	} {
		server = append(server, "-c", setting)
	}
	lease, err = testkit.Keep(dir, "QUIT", owner, server...)
	return "postgres://postgres@/postgres?host=" + url.QueryEscape(dir), lease, err
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
