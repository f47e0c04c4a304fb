// Package stack runs every part of Durapay on one machine as plain processes: the servers it
// depends on and its own services. `make up` keeps one such stack in .dev. End-to-end tests
// start private ones on free ports, and kill, pause and restart their parts.
//
// A part declares its preparation, its command line, its environment and its
// readiness check; parts lists them. All state of a stack is in its directory, so another
// process can find the parts again:
//
//	bin/      programs built for it
//	data/     the parts' files
//	secrets/  generated keys and passwords
//	log/      one log per part
//	run/      one record per running part
//	env       KEY=value lines for shells and clients
//
// Two things are shared, because they take long to make. The funded chains that a new stack
// copies are in the user's cache (durapay-dev). The programs that are linked once are in
// .dev/build of the working copy.
package stack
