// Package problem has the error format of the Greenfield surface: {code, message} for a
// request that is not allowed or whose resource does not exist, [{path, message}] with 422 for
// invalid values.
package problem
