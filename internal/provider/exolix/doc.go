// Package exolix speaks version 2 of Exolix's API: floating rates, JSON
// numbers, a key in the header Authorization.
package exolix
