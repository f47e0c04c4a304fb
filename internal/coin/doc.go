// Package coin is the register of coins: their names, their networks, their
// decimals and the formats of their addresses. One text can be an address of
// several coins, so an address is always checked together with the coin and the
// network that it is meant for. The package does no input or output.
package coin
