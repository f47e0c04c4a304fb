// Package outbound makes the HTTP clients for addresses outside of our control:
// webhook receivers, exchanges, swap providers. A direct client resolves the
// host itself and refuses every address that is not on the public internet. It
// checks the address that it dials. A proxied client passes the host's name to
// a SOCKS5 proxy and never resolves it. Neither follows redirects, keeps
// cookies or connections, or uses a proxy from the environment.
package outbound
