// Package limits is how much a client may ask for, and who a client is: an
// address, a circuit or a session of the onion mirror, a key or a merchant.
package limits
