package stack

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// listenAt is the environment variable with the address of the process that is killed.
const listenAt = "LISTEN_AT"

// TestListens is that process. It has many threads, each with memory of its own, so that
// ending it takes a while.
func TestListens(t *testing.T) { //nolint:paralleltest // it is the body of another process
	address := os.Getenv(listenAt)
	if address == "" {
		return // this is the test run itself
	}
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	const threads, bytes = 64, 4 << 20
	for range threads {
		go func() {
			runtime.LockOSThread()
			kept := make([]byte, bytes)
			for i := range kept {
				kept[i] = 1
			}
			select {}
		}()
	}
	for {
		if conn, err := listener.Accept(); err == nil {
			_ = conn.Close()
		}
	}
}

// TestPauseStopsTheWholeFamily pauses a process whose children have sessions of their own and
// start all the time.
func TestPauseStopsTheWholeFamily(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	// The last sleep is in a subshell, so that it is forked: a shell that uses vfork waits in the
	// kernel until its child has become a program, and does not show as stopped if the child is
	// stopped before that.
	script := "setsid sleep 300 & while :; do sleep 0.3 & (sleep 0.005); done"
	p, err := launch(command{path: "/bin/sh", args: []string{"-c", script}, dir: t.TempDir()}, filepath.Join(t.TempDir(), "log"), true)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, member := range p.family() {
			require.NoError(t, member.signal(syscall.SIGKILL))
		}
	})
	for len(p.family()) < 5 {
		require.NoError(t, pause(ctx, time.Millisecond))
	}
	for range 20 {
		require.NoError(t, p.signalFamily(syscall.SIGSTOP))
		for _, member := range p.family() {
			s, there := readStat(fmt.Sprintf("/proc/%d/stat", member.PID))
			if !there || s.ended {
				continue // it has already ended
			}
			for !s.stopped { // a signal takes a moment
				require.NoError(t, pause(ctx, time.Millisecond))
				s, there = readStat(fmt.Sprintf("/proc/%d/stat", member.PID))
				require.True(t, there && !s.ended, "%d went on", member.PID)
			}
		}
		require.NoError(t, p.signalFamily(syscall.SIGCONT))
		require.NoError(t, pause(ctx, 10*time.Millisecond))
	}
}

// TestKilledProcessHoldsNothing starts the next process on the same port each time.
func TestKilledProcessHoldsNothing(t *testing.T) {
	t.Parallel()
	block, err := testkit.ReservePorts()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, block.Close()) })
	port, err := block.Port()
	require.NoError(t, err)
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}).String()
	log := filepath.Join(t.TempDir(), "log")
	ctx := t.Context()
	c := command{
		path: os.Args[0], args: []string{"-test.run", "^TestListens$"}, dir: t.TempDir(), env: map[string]string{listenAt: address},
	}
	for range 10 {
		p, err := launch(c, log, true)
		require.NoError(t, err)
		for dial(ctx, address) != nil {
			require.True(t, p.alive(), "it listens: %s", tail(log))
			require.NoError(t, pause(ctx, 10*time.Millisecond))
		}
		require.NoError(t, p.signal(syscall.SIGKILL))
		require.NoError(t, p.gone(ctx))
		require.True(t, testkit.IsFree(port))
	}
}
