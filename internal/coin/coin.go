package coin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/money"
)

// ErrAddress says that a text is not an address of the coin on the network. The
// errors that wrap it say why and never repeat the text.
var ErrAddress = errors.New("not an address of the coin")

// Net tells the chain whose coins have value from a private one.
type Net uint8

// The nets. Coins whose private chains use the addresses of the main one
// (Monero, Ethereum, Tron, Solana) have the same addresses on both.
const (
	Main Net = iota
	Regtest
)

// Coin is a coin on one network: USDT on ERC20 and USDT on TRC20 are two. It
// is comparable.
type Coin struct {
	// Ticker is in lower case: xmr, usdt.
	Ticker string
	// Network is in the spelling that clients compare with: Mainnet, ERC20, TRC20.
	Network string
	// Name is what people call it: Monero.
	Name string
	// Decimals is the number of decimals of one coin in atomic units.
	Decimals int32
	// Memo says whether a deposit may need a memo or tag beside the address.
	Memo bool
	// Image is the path of the picture that Picture draws.
	Image string

	family family
}

// Key is the coin's short unique name: ltc:Mainnet.
func (c Coin) Key() string { return c.Ticker + ":" + c.Network }

// Lookup finds a coin. The ticker is compared as it is, the network without case.
func Lookup(ticker, network string) (Coin, bool) {
	for _, c := range All() {
		if c.Ticker == ticker && strings.EqualFold(c.Network, network) {
			return c, true
		}
	}
	return Coin{}, false
}

// Find finds a coin by what people write: a ticker in any case, with the
// network beside it or behind a colon, as in usdt:TRC20. Without a network it
// is the one that the register lists first for the ticker.
func Find(ticker, network string) (Coin, bool) {
	if network == "" {
		ticker, network, _ = strings.Cut(ticker, ":")
	}
	for _, c := range All() {
		if strings.EqualFold(c.Ticker, ticker) && (network == "" || strings.EqualFold(c.Network, network)) {
			return c, true
		}
	}
	return Coin{}, false
}

// Symbol is the shortest text that Find finds the coin by: usdt is the one on
// ERC20, the other is usdt:TRC20.
func (c Coin) Symbol() string {
	if found, ok := Find(c.Ticker, ""); ok && found.Network == c.Network {
		return c.Ticker
	}
	return c.Key()
}

// CheckAddress verifies that a text is an address of this coin on this net:
// ErrAddress for everything else, addresses of other coins included.
func (c Coin) CheckAddress(address string, net Net) error {
	if len(address) == 0 || len(address) > maxAddress {
		return fmt.Errorf("%w: wrong length", ErrAddress)
	}
	return c.family.check(address, net)
}

// HasScript says whether an address of the coin stands for a script on the chain, which is
// what a wallet of ours can pay: one of Litecoin's extension blocks (MWEB) does not.
func HasScript(address string) bool {
	prefix, _, _ := strings.Cut(strings.ToLower(address), "1")
	return !strings.HasSuffix(prefix, "mweb")
}

// CheckAmount verifies a positive amount in whole coins: money.ErrRange for
// what is not positive or beyond every supply, money.ErrDecimals for more
// decimals than the coin has.
func (c Coin) CheckAmount(amount money.Decimal) error {
	if amount.Sign() <= 0 || amount.Cmp(maxAmount()) > 0 {
		return money.ErrRange
	}
	if amount.Decimals() > c.Decimals {
		return money.ErrDecimals
	}
	return nil
}

// maxAmount is more than there is of any coin; it bounds what is computed with.
func maxAmount() money.Decimal { return money.DecimalFromInt(1_000_000_000_000) }

// Atomic converts an amount in whole coins to atomic units, exactly:
// money.ErrDecimals when it has more decimals than the coin, money.ErrRange
// when it is negative or does not fit.
func (c Coin) Atomic(amount money.Decimal) (uint64, error) { return amount.ToAtomic(c.Decimals) }

// Amount converts atomic units to an amount in whole coins.
func (c Coin) Amount(atomic uint64) money.Decimal { return money.FromAtomic(atomic, c.Decimals) }

// MarshalText writes the key, so that a coin in JSON is its name.
func (c Coin) MarshalText() ([]byte, error) { return []byte(c.Key()), nil }

// UnmarshalText looks the coin up by its key; a coin that is not in the
// register is an error.
func (c *Coin) UnmarshalText(text []byte) error {
	ticker, network, _ := strings.Cut(string(text), ":")
	found, ok := Lookup(ticker, network)
	if !ok {
		return errors.New("unknown coin")
	}
	*c = found
	return nil
}
