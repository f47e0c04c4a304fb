// Package example is the values of the examples in the documents.
package example
