// Package wakeup finds what should have moved and has not, wakes its workflows and
// tells operators.
package wakeup
