// Package e2e tests Durapay through its front door: real HTTP requests, real
// transactions on a private chain, a real receiver of webhooks. Nothing here
// looks into the database or at the service's own types.
//
// A test takes a stack for itself and breaks what it likes: it kills parts,
// reorganizes the chain, takes the price away. A stack goes from test to test until
// one fails (kind). Each test has a merchant of its own (a shop). At the end of
// each test the shop's books must always equal the chain.
package e2e
