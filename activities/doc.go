// Package activities does what workflows decide: every function here is one
// step with effects, may be run again at any time, and says in its comment
// what a second run does. Inputs name things by identifier; addresses, buyer
// data and payloads stay in the database.
package activities
