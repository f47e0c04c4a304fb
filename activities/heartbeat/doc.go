// Package heartbeat is ground: it shows Temporal that the worker of a long step lives. If
// the worker was killed, another worker takes the step over within seconds.
package heartbeat
