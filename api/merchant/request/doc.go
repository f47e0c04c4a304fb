// Package request is what clients send: bodies, forms, query parameters and
// identifiers. Huma describes them and hands them over unread, so that numbers
// stay exact and every refusal is worded here.
package request
