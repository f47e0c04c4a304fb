package coin

// Magic begins each message between the daemons of a coin derived from Bitcoin
// (chainparams.cpp of Bitcoin and Litecoin Core); false for coins whose is not known
// here.
func (c Coin) Magic(net Net) (magic [4]byte, known bool) {
	switch {
	case c.family != familyBitcoin && c.family != familyLitecoin:
		return magic, false
	case net == Regtest: // both have the same
		return [4]byte{0xfa, 0xbf, 0xb5, 0xda}, true
	case c.family == familyLitecoin:
		return [4]byte{0xfb, 0xc0, 0xb6, 0xdb}, true
	}
	return [4]byte{0xf9, 0xbe, 0xb4, 0xd9}, true
}
