// Package wakeup finds rows that should have moved and have not, wakes their workflows
// and alerts operators.
package wakeup
