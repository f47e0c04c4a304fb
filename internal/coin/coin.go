package coin

import (
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/money"
)

// ErrAddress is returned for a text that is not an address of the coin on the
// network. The errors that wrap it give the reason and never repeat the text.
var ErrAddress = errors.New("not an address of the coin")

// Net distinguishes the main chain, whose coins have value, from a private one.
type Net uint8

// The nets. Some coins (Monero, Ethereum, Tron, Solana) have the same addresses on
// both, because their private chains use the addresses of the main one.
const (
	Main Net = iota
	Regtest
)

// Coin is a coin on one network: USDT on ERC20 and USDT on TRC20 are two coins. A
// Coin is comparable.
type Coin struct {
	// Ticker is in lower case: xmr, usdt.
	Ticker string
	// Network is spelled as clients compare it: Mainnet, ERC20, TRC20.
	Network string
	// Name is what people call it: Monero.
	Name string
	// Decimals is the number of decimals of one coin in atomic units.
	Decimals int32
	// Memo reports whether a deposit may need a memo or tag in addition to the address.
	Memo bool
	// Image is the path of the picture that Picture draws.
	Image string

	family family
}

// Key returns the coin's short unique name, such as ltc:Mainnet.
func (c Coin) Key() string { return c.Ticker + ":" + c.Network }

// Lookup finds a coin by its exact ticker and by its network in any case.
func Lookup(ticker, network string) (Coin, bool) {
	for _, c := range All() {
		if c.Ticker == ticker && strings.EqualFold(c.Network, network) {
			return c, true
		}
	}
	return Coin{}, false
}

// Find finds a coin by text that a person wrote: a ticker in any case, and the
// network either as the second argument or after a colon, as in usdt:TRC20. Without
// a network, Find returns the first coin in the register that has the ticker.
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

// Symbol returns the shortest text by which Find finds the coin: usdt for Tether on
// ERC20, usdt:TRC20 for Tether on TRC20.
func (c Coin) Symbol() string {
	if found, ok := Find(c.Ticker, ""); ok && found.Network == c.Network {
		return c.Ticker
	}
	return c.Key()
}

// CheckAddress verifies that a text is an address of this coin on this net. It
// returns ErrAddress for everything else, including addresses of other coins.
func (c Coin) CheckAddress(address string, net Net) error {
	if len(address) == 0 || len(address) > maxAddress {
		return fmt.Errorf("%w: wrong length", ErrAddress)
	}
	return c.family.check(address, net)
}

// HasScript reports whether an address stands for a script on the chain. Our wallets
// can pay only such addresses. An address of Litecoin's extension blocks (MWEB) does
// not stand for one.
func HasScript(address string) bool {
	prefix, _, _ := strings.Cut(strings.ToLower(address), "1")
	return !strings.HasSuffix(prefix, "mweb")
}

// CheckAmount verifies a positive amount in whole coins. It returns money.ErrRange
// if the amount is not positive or larger than any coin's supply, and
// money.ErrDecimals if it has more decimals than the coin.
func (c Coin) CheckAmount(amount money.Decimal) error {
	if amount.Sign() <= 0 || amount.Cmp(maxAmount()) > 0 {
		return money.ErrRange
	}
	if amount.Decimals() > c.Decimals {
		return money.ErrDecimals
	}
	return nil
}

// maxAmount returns more than the supply of any coin. It bounds the numbers in
// calculations.
func maxAmount() money.Decimal { return money.DecimalFromInt(1_000_000_000_000) }

// MarshalText returns the key, so a coin is written as its name in JSON.
func (c Coin) MarshalText() ([]byte, error) { return []byte(c.Key()), nil }

// UnmarshalText looks up the coin by its key. A coin that is not in the register is
// an error.
func (c *Coin) UnmarshalText(text []byte) error {
	ticker, network, _ := strings.Cut(string(text), ":")
	found, ok := Lookup(ticker, network)
	if !ok {
		return errors.New("unknown coin")
	}
	*c = found
	return nil
}

// imagePath returns the path at which the services offer the picture of a coin.
func imagePath(ticker string) string { return "/images/coins/" + ticker + ".svg" }

// Picture draws the coin's image as SVG: its ticker on a disc. The ticker
// determines the colour of the disc.
func (c Coin) Picture() []byte {
	hue := 0
	for i := range len(c.Ticker) {
		hue = (hue*31 + int(c.Ticker[i])) % 360
	}
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="%s">`+
		`<circle cx="32" cy="32" r="32" fill="hsl(%d,55%%,38%%)"/>`+
		`<text x="32" y="38" font-family="sans-serif" font-size="17" font-weight="bold" text-anchor="middle" fill="#fff">%s</text>`+
		`</svg>`, c.Name, hue, strings.ToUpper(c.Ticker))
}

// Magic returns the four bytes that begin each message between the daemons of a coin
// derived from Bitcoin (chainparams.cpp of Bitcoin and Litecoin Core). known is
// false for coins whose bytes are not in this package.
func (c Coin) Magic(net Net) (magic [4]byte, known bool) {
	switch {
	case c.family != familyBitcoin && c.family != familyLitecoin:
		return magic, false
	case net == Regtest: // the same for both coins
		return [4]byte{0xfa, 0xbf, 0xb5, 0xda}, true
	case c.family == familyLitecoin:
		return [4]byte{0xfb, 0xc0, 0xb6, 0xdb}, true
	}
	return [4]byte{0xf9, 0xbe, 0xb4, 0xd9}, true
}
