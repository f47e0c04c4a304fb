// Package tornet is a private Tor network on this machine: a directory
// authority, three relays that let streams out to 127.0.0.0/8, and a client.
// They are the tor of the distribution. Nothing leaves the machine: every
// process listens on loopback, and names are answered by a name server here.
package tornet
