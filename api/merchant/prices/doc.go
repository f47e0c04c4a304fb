// Package prices answers with the price of XMR. It needs no credential.
package prices
