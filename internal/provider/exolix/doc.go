// Package exolix implements version 2 of Exolix's API: floating rates, JSON
// numbers, and a key in the header Authorization.
package exolix
