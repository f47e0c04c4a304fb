// Package route adds routes to the Greenfield surface: what the document says of
// one, the permission that it needs, and how its errors are told.
package route
