// Package simulated is the chain of a charge of the sandbox that no wallet has. Each
// charge has a chain of its own: blocks come when a merchant asks for them. The
// rules here define the name of the chain, its first block, its other blocks and its
// address; the rows are in the database.
package simulated
