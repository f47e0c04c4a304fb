// Package testkit holds what tests of several packages and the development stack share: free
// ports, programs that end with the process, packages of npm, and a mail server.
package testkit

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// keeper runs a program until its standard input ends, then stops it and removes the folder.
const keeper = `dir=$1 signal=$2; shift 2; "$@" & read -r _; kill -"$signal" $!; wait $!; rm -rf "$dir"`

// Keep runs a program in a folder of its own, as a user or as the caller without one. When the
// lease is closed, by a finalizer too, or this process ends, however that happens, the program
// gets the signal and the folder is removed. An interrupt of the terminal does not reach it.
func Keep(dir, signal string, user *syscall.Credential, program ...string) (lease io.Closer, err error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", keeper, "sh", dir, signal}, program...)...) //nolint:noctx // it outlives every test's context
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: true, Credential: user}
	if lease, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", program[0], err)
	}
	return lease, nil
}

// NPM fetches what a folder of tools/ names in its lock file, where it is not
// here yet, and returns that folder. root leads from the test to the repository. A
// machine without npm skips the test; CI=true makes that an error.
func NPM(t *testing.T, root, tool string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("fetches packages of npm")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		const missing = "npm is not installed (package npm, Node.js 20.19 or later)"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "make", "-C", root, "tools/"+tool+"/node_modules/.stamp")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(root, "tools", tool)
}
