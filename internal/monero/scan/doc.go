// Package scan finds the payments to any number of wallets in the bytes of transactions and
// blocks. It needs the private view keys and a lookup of the public spend keys of the addresses
// that the service gave out. It starts no wallet process.
//
// A transaction is fetched, parsed and checked once, and then tried with each view key. A view
// key can give any spend key, if its owner chose his keys for that. So a spend key counts only for
// the wallet whose view key gave it, and each wallet's outputs are decided without the others.
//
// The rules are those of wallet2 in Monero 0.18, because the spending wallet could never
// spend a payment that it does not see. The sources are src/wallet/wallet2.cpp,
// src/cryptonote_basic/cryptonote_format_utils.cpp, src/cryptonote_basic/tx_extra.h,
// src/crypto/crypto.cpp, src/crypto/tree-hash.c, src/ringct/rctTypes.h and
// src/ringct/rctOps.cpp. "Zero to Monero", second edition, chapters 4, 5 and 7, explains
// them. Comments name the function whose rule the code follows.
//
// Scanner computes the hashes of transactions and blocks from their bytes and compares them
// with those that it asked for. It believes the daemon that proofs and signatures are right.
//
// The package credits less than wallet2 shows in three cases. No wallet makes them:
//
//   - A transaction has more than 32 public keys: only the first 32 are tried. Daemons do
//     not relay so many (MAX_TX_EXTRA_SIZE, 1,060 bytes), but a miner can put thousands
//     into the reward of a block.
//   - A public key of the transaction is not a curve point. wallet2 takes the identity as
//     the shared secret, so everyone could see the payment.
//   - An additional public key is not a curve point. wallet2 shows the payments to those
//     after it, but cannot spend them: generate_key_image_helper leaves the bad key out of
//     its list, so that the later keys have other positions.
//
// ErrForm names a transaction, output or block whose form the package does not know. A
// caller that settles payments stops at such a block. The package never guesses.
package scan
