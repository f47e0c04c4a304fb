package charge

import "strings"

// accountBits is how far the account of an address is shifted in its number.
const accountBits = 20

// OwnWalletPrefix begins the ID of a shop's own wallet.
const OwnWalletPrefix = "own_"

// IsOwn reports whether a wallet is a shop's own one, whose money the service never holds.
func IsOwn(walletID string) bool { return strings.HasPrefix(walletID, OwnWalletPrefix) }

// The limits of the numbers of addresses in a shop's own wallet.
const (
	// MaxAccount is the highest account: numbers are 31 bits.
	MaxAccount = 1<<(31-accountBits) - 1
	// FirstAccount is where charges begin if the shop names no account. Accounts below it
	// stay for what the owner does by hand.
	FirstAccount = 10
	// MaxFirstAccount is the highest account in which charges can begin.
	MaxFirstAccount = 2000
	// MaxUnpaid is how many addresses in a row an account hands out without money. A wallet finds
	// 200 addresses beyond the last that was paid, and 50 accounts beyond the last with money.
	MaxUnpaid = 150
	lookAhead = 50
)

// AccountsLeft returns how many accounts after an account a wallet with default settings still
// finds by itself. paid is the highest account with money; 0 for none.
func AccountsLeft(reached, paid int32) int32 { return max(0, paid+lookAhead-1-reached) }

// NumberOf returns the number of an address: addresses are ordered by it and handed out in
// this order. In account 0 it is the index.
func NumberOf(account, index int32) int32 { return account<<accountBits | index }

// PositionOf returns the account and the index of the address with a number.
func PositionOf(number int32) (account, index int32) {
	return number >> accountBits, number & (1<<accountBits - 1)
}

// EndOfAccount returns the highest number of an address in the account of a number.
func EndOfAccount(number int64) int64 { return number | (1<<accountBits - 1) }
