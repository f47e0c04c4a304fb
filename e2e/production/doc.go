//go:build linux

// Command production plays an operator's first day with docker-compose.yml as it
// ships, on a machine of its own within this one: a Docker engine whose data are in
// .dev/production, images whose bases are stand-ins made of Debian's packages
// (deploy/test-images), and private chains. It follows README.md from the passwords
// to the backup, takes a payment, makes a payout and trades both ways, and checks
// every step. It exits with 0 only if every check passed.
//
// One file holds the differences from the shipped installation. override.go writes
// it, and Compose reads it in addition to docker-compose.yml: the chains' network
// and where builds find Debian's and Monero's servers. The digests of images are
// left out of the copy that is installed, because a stand-in cannot have them. The
// last step alone uses other images, whose clock a file moves.
package main
