// Package upstream makes the HTTP calls of the adapters of swap providers.
// Calls have a deadline, a limit on the size of the answer and the headers of
// an ordinary browser. They go directly or through a SOCKS5 proxy. The package
// knows whether a failed request may have arrived. That determines if a caller
// may repeat an order.
package upstream
