// Package retention removes data that was kept long enough, table by table in batches, in
// an order in which nothing refers to removed rows.
package retention
