// Package outbound makes the HTTP clients with which the service calls
// addresses that others chose: webhook receivers, exchanges, swap providers.
// A direct client resolves the host itself and refuses every address that is
// not on the public internet, judged by the address that is dialled. A proxied
// client hands the host's name to a SOCKS5 proxy and never resolves it.
// Neither follows redirects, keeps cookies or connections, or reads a proxy
// from the environment.
package outbound
