// Package heartbeat is ground: it tells Temporal that the worker of a long step
// lives, so that a step whose worker was killed is taken over within seconds.
package heartbeat
