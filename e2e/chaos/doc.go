// Command chaos kills processes of a stack of its own while customers pay,
// merchants sweep and traders swap both ways, starts them again, and then
// counts what does not agree: between what was promised, what customers did,
// what both chains show and what the services say. Any count but zero is a
// failure.
//
// What is killed, and what customers do, is drawn from a seed; when a process
// is ready again is up to the machine. After the given minutes nothing more is
// begun or killed, the chains go on, and the counts are taken until all are
// zero or the quiet has lasted long.
package main
