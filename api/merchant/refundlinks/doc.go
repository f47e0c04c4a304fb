// Package refundlinks makes refunds and takes their claims, for every face that has
// them: the merchants' own API, pages for buyers, other dialects. It knows the secret
// of a refund's link.
package refundlinks
