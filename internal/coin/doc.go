// Package coin is the register of coins: what each is called, on which
// networks it moves, how many decimals it has and what its addresses look
// like. One text can be an address of several coins, so an address is always
// checked together with the coin and the network that it is meant for. The
// package does no input or output.
package coin
