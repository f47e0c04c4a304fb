// Package staff is what people may do in a shop that is not theirs. A person has an
// account of their own and a role in the shop. One table says which operations a
// role has; what is not in it is for the merchant alone.
package staff
