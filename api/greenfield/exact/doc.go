// Package exact has the dialect's number formats. Amounts are strings in answers, and strings
// or numbers in requests, read with all of their digits. Times are whole seconds since 1970.
package exact
