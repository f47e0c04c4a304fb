// Package starter starts the workflows of what was written without them. What needs a
// workflow is written together with the wish for it, in one transaction. Whoever wrote
// it starts the workflow right after; a Queue does that beside the request. What was not
// started, since a process died or Temporal was away, is started by a Loop, of which
// every worker has one. Starting twice is starting once.
package starter
