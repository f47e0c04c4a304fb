// Package dialect has the conventions of the Greenfield surface: routes with the permission that
// they need, numbers, and errors. Amounts are strings in answers, and strings or numbers in
// requests, read with all of their digits. Times are whole seconds since 1970. An error is
// {code, message} for a request that is not allowed or whose resource does not exist, and
// [{path, message}] with 422 for invalid values.
package dialect
