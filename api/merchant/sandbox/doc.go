// Package sandbox has the operations that pay charges of a simulated sandbox: they put payments
// and blocks on a charge's own chain. Each operation is one transaction that changes rows. The
// watcher of simulated chains finds the changes, as it does on a real chain. No operation here
// signals a charge's workflow. Only a retry of deliveries signals workflows, those of the
// deliveries.
package sandbox
