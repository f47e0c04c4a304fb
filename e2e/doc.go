// Package e2e tests Durapay through its front door: real HTTP requests, real
// transactions on a private chain, a real receiver of webhooks. Nothing here
// looks into the database or at the service's own types.
//
// Two stacks run side by side. The calm one is shared by tests that run in
// parallel, each with a merchant of its own (a shop); what dies there is another
// process of a service, which one test has for itself. On the troubled one
// parts are killed, the chain reorganises and prices fail, one test after the
// other. Whatever happened, at the end of each test the shop's books must
// equal what the chain shows.
package e2e
