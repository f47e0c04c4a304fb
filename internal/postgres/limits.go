package postgres

import (
	"fmt"
	"time"
)

// Limits bound how long a session of PostgreSQL may block other sessions. Zero means no
// limit.
type Limits struct {
	// Statement bounds a statement, including the wait for its locks.
	Statement time.Duration
	// Lock bounds the wait for a lock. Later sessions wait behind a session that waits for a
	// lock.
	Lock time.Duration
	// Idle bounds the time that an open transaction may do nothing.
	Idle time.Duration
}

// Limits of the processes.
//
//nolint:gochecknoglobals // values
var (
	// Serving is for a process that answers requests.
	Serving = Limits{Statement: 30 * time.Second, Lock: 5 * time.Second, Idle: 2 * time.Minute}
	// Working is for a worker. It has longer limits because a worker retries failed work and
	// removes old rows by the thousand. Its transactions have no Idle limit, because it locks
	// the row of an outgoing transaction while it waits for a daemon. The server notices a
	// machine that has vanished.
	Working = Limits{Statement: 5 * time.Minute, Lock: 30 * time.Second}
	// Migrating is for changes of the schema. Its Lock limit is short because every new charge
	// waits behind a migration that waits for a backup. Migrate tries again.
	Migrating = Limits{Lock: 3 * time.Second}
	// ByHand is for commands that a person watches.
	ByHand = Limits{}
)

// set adds the settings with which a session begins. Settings in DATABASE_URL take
// precedence. With the keepalive settings, the server notices after a minute that the other
// end has vanished. Otherwise the locks of a vanished machine would remain for two hours.
// Unix sockets ignore these settings.
func (l Limits) set(settings map[string]string) {
	for name, value := range map[string]string{
		"statement_timeout":                   milliseconds(l.Statement),
		"lock_timeout":                        milliseconds(l.Lock),
		"idle_in_transaction_session_timeout": milliseconds(l.Idle),
		"tcp_keepalives_idle":                 "30",
		"tcp_keepalives_interval":             "10",
		"tcp_keepalives_count":                "3",
		// JSON has moments in the session's zone, and no zone may move one past the year 9999.
		"timezone": "UTC",
	} {
		if settings[name] == "" {
			settings[name] = value
		}
	}
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
