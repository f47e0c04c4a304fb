// Package exact holds what the dialect does with numbers: amounts are strings in
// answers, and strings or numbers in requests, read digit for digit; times are
// whole seconds since 1970.
package exact
