// Package limits holds the rate limits. A client is an address, a circuit or a session of the
// onion mirror, a key or a merchant.
package limits
