// Command bench measures Durapay on a stack of its own and prints a table:
// what was measured, beside what, and whether it meets its bar. A rate is
// always compared with a reference taken in the same run on the same machine,
// in turns, so that a slow or busy machine slows both.
//
//	go run ./e2e/bench              everything, about 25 minutes
//	go run ./e2e/bench -quick       smaller numbers, to see that it works
//	go run ./e2e/bench -run sweep   some rows; an unknown name lists all
//	go run ./e2e/bench -run lists -many 10000000
//
// The rows of the merchants and those of the exchange are measured one after
// the other, each on a stack of its own.
//
// A missed bar ends with status 1 only with -strict. Timings belong here: no
// test asserts one.
package main
