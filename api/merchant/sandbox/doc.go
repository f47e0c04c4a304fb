// Package sandbox is what pays the charges of a simulated sandbox: operations that put
// payments and blocks on the chain of a charge. Each is one transaction of rows. The
// watcher of simulated chains finds what they changed, as one finds it on a real
// chain; nothing here tells a charge what became of it. A retry of deliveries is the
// exception: it signals their workflows.
package sandbox
