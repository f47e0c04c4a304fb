// Package request reads the input of clients: bodies, forms, query parameters and identifiers.
// Huma documents them but does not decode them, so that numbers stay exact and this package
// words every refusal.
package request
