// Package webhooks is the subscriptions of merchants to events, the log of the
// deliveries, and what the documents say of the events' bodies. Deliveries are
// made by their workflows; here they are read, and asked for again.
package webhooks
