// Package retention removes what was kept long enough, table by table in batches, in
// an order in which nothing refers to what is removed.
package retention
