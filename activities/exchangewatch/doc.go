// Package exchangewatch scans the wallets of the exchange: deposits and where they
// come from, what a wallet holds, and the deposit addresses that are made ahead.
package exchangewatch
