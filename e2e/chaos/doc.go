// Command chaos disturbs a stack of its own while customers pay, merchants sweep
// and refund, and traders swap both ways. Then it counts what does not agree: between
// what was promised, what customers did, what both chains show and what the services
// say.
//
// Parts are killed or hang for up to 90 seconds, several at once. A merchant's receiver
// refuses. Runs are terminated, cancelled and reset. Backups and migrations run, and a
// worker with another build ID takes over. The table of disturbances is in
// disturbance.go.
//
// Two sorts of assertions are counted. "Always none" are faults: any count but zero is a
// failure. "Sometimes" are dangerous places, such as a worker that is away between
// storing a transaction and relaying it. Most rounds wait for such a place and begin
// there. A run of half an hour or more fails for a place that it never reached; a
// shorter one names it.
//
// What happens, and what customers do, is drawn from a seed; when a process is ready
// again is up to the machine. After the given minutes nothing more is begun or
// disturbed, the chains go on, and the counts are taken until all are zero or the quiet
// has lasted long.
package main
