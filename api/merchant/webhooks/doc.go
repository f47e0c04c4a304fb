// Package webhooks is the room of webhooks: the merchants' subscriptions to events, the feed of
// events, the log of deliveries, and the documentation of event bodies. Workflows make the
// deliveries. This package reads them and requests redeliveries.
package webhooks
