// Package example has the values of the examples in the documents.
package example
