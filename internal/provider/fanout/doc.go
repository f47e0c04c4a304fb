// Package fanout asks several swap providers the same question in parallel. It
// waits for a limited time, continues with the answers that it has, and keeps
// later answers for the next caller. So a slow provider costs a caller a limited
// wait, and many callers with the same question cost a provider one call. ConfigFile
// opens the providers that an operator configured, and New asks them.
package fanout
