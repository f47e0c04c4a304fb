package coin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
)

// valid returns addresses of a coin on its main network, taken from the
// standards' own test vectors and from public places.
func valid(key string) []string {
	evm := []string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", // EIP-55
		"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0x52908400098527886E0F7030069857D2E4169EE7", // all upper case is a checksum of its own
		"0xde709f2102306220921060314715629080e2fb77",
		"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
	}
	tron := []string{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "TPyjyZfsYaXStgz2NmAraF1uZcMtkgNan5"}
	return map[string][]string{
		"xmr:Mainnet": {
			"44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A",
			"888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H",
			integrated,
		},
		"btc:Mainnet": {
			"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
			"3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
			"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", // BIP 173
			"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
			"bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
			"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", // BIP 350
		},
		"ltc:Mainnet": {
			"LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9",
			"MVcg9uEvtWuP5N6V48EHfEtbz48qR8TKZ9",
			"ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9",
			"ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6gf",
		},
		"doge:Mainnet": {"DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "A3FWNUmzq8fXceLoG8DM7PAxPQbNUjae2B"},
		"bch:Mainnet": { // the specification's own
			"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
			"qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
			"BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A",
			"bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
			"bitcoincash:pdm2qsznhks23z7629mms6s4cwef74vcwdm2qsznhks23z7629mmslxk9vpmk", // a script hash of 32 bytes
		},
		"eth:ERC20": evm, "usdt:ERC20": evm, "usdc:ERC20": evm,
		"trx:Mainnet": tron, "usdt:TRC20": tron,
		"sol:Mainnet": {
			"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
			"Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
		},
	}[key]
}

// integrated is the example of Monero's documentation.
const integrated = "4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK"

func TestAddressesOfEveryCoin(t *testing.T) {
	t.Parallel()
	for _, c := range coin.All() {
		for _, address := range valid(c.Key()) {
			require.NoError(t, c.CheckAddress(address, coin.Main), "%s %s", c.Key(), address)
		}
	}
}

// Coins on the same network accept each other's addresses; every other coin
// refuses them.
func TestAddressesOfOtherCoinsAreRefused(t *testing.T) {
	t.Parallel()
	network := func(c coin.Coin) string {
		switch c.Key() {
		case "eth:ERC20", "usdt:ERC20", "usdc:ERC20":
			return "Ethereum"
		case "trx:Mainnet", "usdt:TRC20":
			return "Tron"
		}
		return c.Key()
	}
	for _, owner := range coin.All() {
		for _, other := range coin.All() {
			if network(owner) == network(other) {
				continue
			}
			for _, address := range valid(owner.Key()) {
				require.ErrorIs(t, other.CheckAddress(address, coin.Main), coin.ErrAddress, "%s for %s", address, other.Key())
			}
		}
	}
}

func TestWrongAddressesAreRefused(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 20)
	for key, wrong := range map[string][]string{
		"xmr:Mainnet": {
			"44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3B", // mistyped
			"9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8", // testnet
			"59McWTPGc745SRWrSMoh8oTjoXoQq6sPUgKZ66dQWXuKFQ2q19h9gvhJNZcFTizcnT12r63NFgHiGd6gBCjabzmzHAMoyD6", // stagenet
		},
		"btc:Mainnet": {
			"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3",         // mistyped
			"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", // mistyped
			"bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", // mixed case
			"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", // testnet
			"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080",
			"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
			"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",             // BIP 350: version 1 with the checksum of version 0
			"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",                                 // BIP 350: version 0 with the checksum of version 1
			"bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", // version 1 with 40 bytes
			"bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",                                       // version 2
			"bc1sw50qgdz25j",                                                             // version 16
			"bc1gmk9yu",                                                                  // no data
			"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",         // a public key
			base58.CheckEncode(zeros, 0x00), base58.CheckEncode(zeros[:19], 0x00), base58.CheckEncode(make([]byte, 21), 0x00),
			segwit(t, "bc", 0, zeros),
		},
		"ltc:Mainnet": {
			"3MtCFXTzMTCLMQGAHjLGWHQZYXdQRP2vDP", // the first script form, which is Bitcoin's too
			"rltc1qw508d6qejxtdg4y5r3zarvary0c5xw7k2t8gt4",
			"ltcmweb1qq20e2arnhvxw97katjkmsd35agw3capxjkrkh7dk8d30rczm8ypxuq329nwh2twmchhqn3jqh7ua4ps539f6aazh79jy76urqht4qa59ts3at6ga",
			mweb(t, "tmweb", 0, 2), mweb(t, "ltcmweb", 1, 2), mweb(t, "ltcmweb", 0, 5), mweb(t, "ltc", 0, 2),
		},
		"doge:Mainnet": {"DH5yaieqoZN36fDVciNyRueRGvGLR3mr7l", "nVDfNEdCQKd9NVUpZCN8vHV1NHLQbXsS6f"},
		"bch:Mainnet": {
			"1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu",                     // the same key, in the form that is Bitcoin's too
			"3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC",                     // and the same script
			"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6b", // mistyped, b is not a digit
			"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q", // mistyped
			"bitcoincash:Qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", // mixed case
			"bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvqcw003ap",     // testnet
			"ecash:qpm2qsznhks23z7629mms6s4cwef74vcwva87rkuu2",       // another coin
			"bitcoin:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",     // a foreign prefix
			"bitcoincash:zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w", // announces tokens
			"bitcoincash:qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqfnhks603",
			"bitcoincash:", "bitcoincash:qpm2qsz", ":qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
		},
		"eth:ERC20": {
			"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", // checksum of letters
			"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
			"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedd",
			"0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg", "0x" + strings.Repeat("0", 40),
		},
		"trx:Mainnet": {
			"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c", base58.CheckEncode(zeros, 0x41),
			"tR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		},
		"sol:Mainnet": {
			base58.Encode(append([]byte{2}, make([]byte, 31)...)), // not on the curve
			"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1z", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv",
			strings.Repeat("1", 32), "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt10",
		},
	} {
		c := lookup(t, key)
		for _, address := range slices.Concat(wrong, anywhere(valid(key)[0])) {
			require.ErrorIs(t, c.CheckAddress(address, coin.Main), coin.ErrAddress, "%s %q", key, address)
		}
	}
}

// anywhere returns texts that no coin accepts: the address with text around it,
// and texts that are not addresses.
func anywhere(address string) []string {
	return []string{
		"", " ", "1", ":", "0x", address + " ", " " + address, address + "\n", address + "\x00", "monero:" + address,
		address[2:], address[:len(address)-2], address + address, strings.Repeat("1", 129), strings.Repeat("a", 1<<16), "адрес", "\xff\xfe",
	}
}

func segwit(t *testing.T, prefix string, version byte, program []byte) string {
	t.Helper()
	data, err := bech32.ConvertBits(program, 8, 5, true)
	require.NoError(t, err)
	text, err := bech32.Encode(prefix, append([]byte{version}, data...))
	require.NoError(t, err)
	return text
}

// mweb returns an address whose two keys begin with the byte first.
func mweb(t *testing.T, prefix string, version, first byte) string {
	t.Helper()
	keys := make([]byte, 66)
	keys[0], keys[33] = first, first
	keys[32], keys[65] = 1, 1
	return segwit(t, prefix, version, keys)
}

func TestPrivateChainsHaveTheirOwnAddresses(t *testing.T) {
	t.Parallel()
	for key, addresses := range map[string][]string{
		"btc:Mainnet": {"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc"},
		"ltc:Mainnet": {segwit(t, "rltc", 0, []byte("twenty bytes of hash")), "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "QXRDpPWNPdM54FMv9ECpZtyH3ZsL5zGe29", mweb(t, "tmweb", 0, 2)},
		"bch:Mainnet": {"bchreg:qpm2qsznhks23z7629mms6s4cwef74vcwv6ycwvz78"},
	} {
		c := lookup(t, key)
		for _, address := range addresses {
			require.ErrorIs(t, c.CheckAddress(address, coin.Main), coin.ErrAddress, address)
		}
		for _, address := range valid(key) {
			require.ErrorIs(t, c.CheckAddress(address, coin.Regtest), coin.ErrAddress, address)
		}
		for _, address := range addresses {
			require.NoError(t, c.CheckAddress(address, coin.Regtest), address)
		}
	}
	xmr := lookup(t, "xmr:Mainnet")
	require.NoError(t, xmr.CheckAddress(valid("xmr:Mainnet")[0], coin.Regtest), "Monero's private chains use the main prefixes")
}

func TestErrorsDoNotRepeatTheAddress(t *testing.T) {
	t.Parallel()
	for _, c := range coin.All() {
		for _, address := range []string{"secret-text", "0xsecret", "bc1qsecret", "bitcoincash:secret"} {
			require.NotContains(t, c.CheckAddress(address, coin.Main).Error(), "secret")
		}
	}
}

// No text is a valid address on two networks.
func FuzzCheckAddress(f *testing.F) {
	for _, c := range coin.All() {
		for _, address := range valid(c.Key()) {
			f.Add(address)
		}
	}
	networks := []string{"xmr:Mainnet", "btc:Mainnet", "ltc:Mainnet", "doge:Mainnet", "bch:Mainnet", "eth:ERC20", "trx:Mainnet", "sol:Mainnet"}
	f.Fuzz(func(t *testing.T, address string) {
		var takenBy []string
		for _, key := range networks {
			c := lookup(t, key)
			if c.CheckAddress(address, coin.Main) == nil {
				takenBy = append(takenBy, key)
			}
			_ = c.CheckAddress(address, coin.Regtest)
		}
		require.LessOrEqual(t, len(takenBy), 1, "%q is taken by %v", address, takenBy)
	})
}
