// Package activities does what workflows decide. Each room, a package below it, has the
// steps of one subject, types (most are called Handler) with everything they need. This package
// knows the rooms, adds their steps to workers and sends heartbeats. Every step has effects, may run
// again at any time, and documents the effect of a second run. Inputs name things by
// identifier; addresses, buyer data and payloads stay in the database.
package activities
