package postgres

import (
	"fmt"
	"time"
)

// Limits bound how long a session of PostgreSQL may keep others waiting. Zero is
// without a limit.
type Limits struct {
	// Statement is how long a statement may take, its locks included.
	Statement time.Duration
	// Lock is how long it may wait for a lock. Whoever comes later waits behind it.
	Lock time.Duration
	// Idle is how long a transaction may do nothing.
	Idle time.Duration
}

// Limits of the processes.
//
//nolint:gochecknoglobals // values
var (
	// Serving is for a process that answers requests.
	Serving = Limits{Statement: 30 * time.Second, Lock: 5 * time.Second, Idle: 2 * time.Minute}
	// Working is for a worker: what ends is tried again, and old rows are removed by the
	// thousand. It holds the row of a transaction while a daemon takes its bytes or is asked
	// about them, so its transactions have no limit; the server notices a machine that is gone.
	Working = Limits{Statement: 5 * time.Minute, Lock: 30 * time.Second}
	// Migrating is for changes of the schema: every creation of a charge waits behind a
	// change that waits for a backup. Migrate begins again.
	Migrating = Limits{Lock: 3 * time.Second}
	// ByHand is for commands that somebody watches.
	ByHand = Limits{}
)

// set writes what a session is told when it begins. What DATABASE_URL says goes first.
// The server looks after a minute whether the other end is still there: what a machine
// that vanished had locked would stay so for two hours. Unix sockets ignore it.
func (l Limits) set(settings map[string]string) {
	for name, value := range map[string]string{
		"statement_timeout":                   milliseconds(l.Statement),
		"lock_timeout":                        milliseconds(l.Lock),
		"idle_in_transaction_session_timeout": milliseconds(l.Idle),
		"tcp_keepalives_idle":                 "30",
		"tcp_keepalives_interval":             "10",
		"tcp_keepalives_count":                "3",
	} {
		if settings[name] == "" {
			settings[name] = value
		}
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
