// Package testclocks is the surface of test clocks, in the dialect of Stripe's API, so
// that Stripe's own clients drive them: forms come in, errors are {"error": {…}}.
// docs/merchant/test-clocks.md is its document.
package testclocks
