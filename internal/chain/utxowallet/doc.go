// Package utxowallet implements chain.Wallet with a Bitcoin-like daemon. The
// daemon needs -txindex, because without it neither the origins of deposits nor
// the state of a payment could be read. Tip returns ErrLagging without it.
//
// Build does not use the wallet's own coin selection. It chooses among coins
// that are deep enough and not reserved, and names them to the daemon, so that
// nothing depends on locks that the daemon forgets. It still locks the reserved
// coins, for operators who spend by hand.
package utxowallet
