// Package answer is what the merchant API answers with: bodies in exact JSON, and
// problems. An error becomes an answer in one place; what it does not know is logged
// and hidden from the client.
package answer
