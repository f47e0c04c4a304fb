// Package starter starts workflows after the rows that need them were committed. The
// transaction that inserts such a row also inserts an outbox row into workflow_starts.
// The process that inserted it starts the workflow immediately afterwards; a Queue does
// that in the background of the request. If the process dies or Temporal is down, a Loop
// starts the workflow later. Every worker runs a Loop. Starting a workflow twice has the
// same effect as starting it once.
package starter
