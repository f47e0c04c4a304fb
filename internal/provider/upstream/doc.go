// Package upstream is how the adapters of swap providers call: over HTTP with
// a deadline, a bound on the answer and the headers of an ordinary browser,
// directly or through a SOCKS5 proxy. It knows whether a request that failed
// may have arrived, which decides whether an order may be sent again.
package upstream
