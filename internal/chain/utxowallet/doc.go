// Package utxowallet is a chain.Wallet on a daemon of Bitcoin's kind. The
// daemon needs -txindex: without it neither the origins of deposits nor a
// payment's fate could be told, so Tip answers ErrLagging then.
//
// The wallet's own choice of coins is not used: Build chooses among coins that
// are deep enough and promised to nobody, and names them to the daemon, so
// that nothing depends on locks that the daemon forgets. It locks the promised
// ones all the same, for operators who spend by hand.
package utxowallet
