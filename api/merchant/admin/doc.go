// Package admin contains the operators' HTTP API: merchants, fees, wallets and open work. The
// rules are in internal/operator, which the command line uses too. Probes answer whether the service
// is up, and whether it can work.
package admin
