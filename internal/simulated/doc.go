// Package simulated is the chain of a charge of the sandbox that no wallet has. Each
// charge has a chain of its own: blocks come when somebody asks for them. The rules
// here say what the chain is called, where it begins, and what its blocks and its
// address are; the rows are in the database.
package simulated
