// Package prices is the price of XMR, for everybody.
package prices
