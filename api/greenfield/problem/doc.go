// Package problem is how the Greenfield surface tells errors: {code, message} for
// what is not allowed or not there, [{path, message}] with 422 for what a client
// sent wrongly.
package problem
