// Package deliveries sends events to merchants and partners. An attempt signs the
// stored bytes and has a place among those under way; the first of two outcomes
// counts.
package deliveries
