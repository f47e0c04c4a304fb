package coin

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
