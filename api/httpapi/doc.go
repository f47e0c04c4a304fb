// Package httpapi reads requests and writes answers for the merchants' API and its Greenfield
// dialect: bodies, forms, query parameters and identifiers in; JSON with exact numbers and
// problems out. Huma documents inputs but does not decode them, so that numbers stay exact and
// this package words every refusal. Errors become answers in one place. An error that it does not know is logged,
// and the client does not see its text.
package httpapi
