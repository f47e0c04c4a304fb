// Package charges advances charges for their workflow. Package chargestore does the work.
package charges
