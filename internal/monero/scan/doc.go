// Package scan finds the payments to a wallet in the bytes of transactions and blocks. It
// needs the private view key and a lookup of the public spend keys of the addresses that
// were given out. It starts no wallet process and keeps no state.
//
// The rules are those of wallet2 in Monero 0.18, because money that the spending wallet
// does not see could never be spent. Their sources are src/wallet/wallet2.cpp,
// src/cryptonote_basic/cryptonote_format_utils.cpp, src/cryptonote_basic/tx_extra.h,
// src/crypto/crypto.cpp, src/crypto/tree-hash.c, src/ringct/rctTypes.h and
// src/ringct/rctOps.cpp; in words, they are in "Zero to Monero", second edition, chapters
// 4, 5 and 7. The comments name the functions.
//
// A daemon is not believed where bytes decide: Scanner computes the hashes of transactions
// and blocks, and compares them with those that it asked for. Whether proofs and signatures
// are right only the daemon knows.
//
// This package credits less than wallet2 shows in three cases, each of which nobody
// makes by accident:
//
//   - A transaction has more than 32 public keys: only the first 32 are tried. Daemons do
//     not relay so many (MAX_TX_EXTRA_SIZE, 1,060 bytes), but a miner can put thousands
//     into the block's own transaction.
//   - A public key of the transaction is not a curve point. wallet2 uses the identity in
//     place of the derivation, so everyone could see the payment.
//   - An additional public key is not a curve point. wallet2 shows the payments of those
//     after it, but generate_key_image_helper leaves the bad key out of its list and takes
//     the wrong one for them, so that it cannot spend them.
//
// A transaction, output or block whose form this package does not know is an ErrForm. It
// never guesses: whoever settles payments must stop at such a block until the form is known.
package scan
