// Package route adds routes to the Greenfield surface: a route's description for the document,
// the permission that it needs, and its error format.
package route
