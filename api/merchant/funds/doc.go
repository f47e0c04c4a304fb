// Package funds is the room of a merchant's money after it has arrived: the balance and its
// sweeps (Payouts), what buyers get back (Refunds), conversions into other coins (Swaps), and
// the bookkeeping (Reports).
package funds
