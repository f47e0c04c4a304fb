// Package service has what several surfaces do alike: the merchants' own API, Greenfield, the
// pages and the desks. It creates charges (Workflows, and the common parts of a request, a
// button and a payment request), refunds (RefundLinks) and webhooks (Webhooks).
package service
