package coin

import "slices"

// Networks, in the spelling of the aggregator dialect.
const (
	mainnet = "Mainnet"
	erc20   = "ERC20"
	trc20   = "TRC20"
)

// Monero is the ticker of Monero.
const Monero = "xmr"

// All returns the coins of the register, Monero first.
func All() []Coin {
	list := []Coin{
		{Ticker: Monero, Network: mainnet, Name: "Monero", Decimals: 12, family: familyMonero},
		{Ticker: "btc", Network: mainnet, Name: "Bitcoin", Decimals: 8, family: familyBitcoin},
		{Ticker: "ltc", Network: mainnet, Name: "Litecoin", Decimals: 8, family: familyLitecoin},
		{Ticker: "doge", Network: mainnet, Name: "Dogecoin", Decimals: 8, family: familyDogecoin},
		{Ticker: "bch", Network: mainnet, Name: "Bitcoin Cash", Decimals: 8, family: familyBitcoinCash},
		{Ticker: "eth", Network: erc20, Name: "Ethereum", Decimals: 18, family: familyEthereum},
		{Ticker: "usdt", Network: erc20, Name: "Tether (ERC20)", Decimals: 6, family: familyEthereum},
		{Ticker: "usdc", Network: erc20, Name: "USD Coin (ERC20)", Decimals: 6, family: familyEthereum},
		{Ticker: "trx", Network: mainnet, Name: "Tron", Decimals: 6, family: familyTron},
		{Ticker: "usdt", Network: trc20, Name: "Tether (TRC20)", Decimals: 6, family: familyTron},
		{Ticker: "sol", Network: mainnet, Name: "Solana", Decimals: 9, family: familySolana},
	}
	for i := range list {
		list[i].Image = imagePath(list[i].Ticker)
	}
	return slices.Clip(list)
}
