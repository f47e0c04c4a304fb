// Package refundlinks creates refunds and takes their claims. All surfaces use it: the
// merchants' own API, the pages for buyers, and other dialects. It handles the secret in a
// refund's link.
package refundlinks
