// Package secret protects data that must not be readable in a copy of the
// database or of the workflow history. It seals columns and payloads with Tink
// AEAD keysets, makes blind indexes for equality lookups, and makes and checks
// the random tokens that are credentials. Key material comes from files and
// never appears in an error or a log line.
package secret
