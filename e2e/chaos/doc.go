// Command chaos disturbs a stack of its own while customers pay, merchants sweep and refund,
// and traders swap both ways. Then it counts the disagreements between the services'
// promises, the actions of customers, both chains and the statements of the services.
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
// A seed determines the disturbances and the actions of customers; the machine
// determines when a process is ready again. After the given minutes chaos begins and
// disturbs nothing more. The chains continue, and it counts until all counts are zero
// or the quiet has lasted long.
package main
