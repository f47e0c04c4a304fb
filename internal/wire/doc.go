// Package wire has the forms of values that JSON does not fix: timestamps, and objects that are
// taken apart and put together without changing their contents.
package wire
