// Package service has what the merchants' own API, the pages and Greenfield do alike. Workflows
// creates charges and starts workflows: a charge is inserted together with its wakeup, so a crash
// never leaves one without the other. RefundLinks creates refunds, takes claims and handles the
// secret of a link. Webhooks creates webhooks of every dialect. The rest is common to a request, a
// button and a payment request.
package service
