// Package deliveries sends events to merchants and partners. An attempt signs the stored
// bytes and holds a slot while it runs. The first of two outcomes counts.
package deliveries
