// Package staff is the room of the people who work in a shop besides the merchant: who they are,
// how they join, and what they have done.
package staff
