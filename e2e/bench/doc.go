// Command bench measures Durapay on a stack of its own and prints a table: each
// measurement, its reference, and whether it meets its bar. A rate is always
// compared with a reference taken in the same run on the same machine, in turns, so
// that a slow or busy machine slows both.
//
//	go run ./e2e/bench              every row, in 50 minutes at most
//	go run ./e2e/bench -quick       smaller numbers, to see that it works
//	go run ./e2e/bench -run sweep   some rows; an unknown name lists all
//	go run ./e2e/bench -open 20000 -among 1000000
//
// Rows are measured one after the other, in stages: each has a stack of its own. Rows
// that do not fit into the time are left out and named.
//
// A missed bar ends with status 1 only with -strict. Timings belong here: no
// test asserts one.
package main
