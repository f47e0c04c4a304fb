// Package activities does what workflows decide. Each room, a package below it, has
// the steps of one resource, a Handler that holds what they need, and a door that
// registers them; this package knows the rooms. Every step has effects, may be run
// again at any time, and says in its comment what a second run does. Inputs name
// things by identifier; addresses, buyer data and payloads stay in the database.
package activities
