package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// ExchangePair is a direction in which the exchange swaps.
type ExchangePair struct {
	TickerFrom, NetworkFrom string
	TickerTo, NetworkTo     string
	// Min, Max and Step are in the coin that comes in.
	Min, Max, Step money.Decimal
}

// UnmarshalText reads xmr:Mainnet>ltc:Mainnet=0.05:20:1.
func (p *ExchangePair) UnmarshalText(text []byte) error {
	names, amounts, ok := strings.Cut(string(text), "=")
	from, to, arrow := strings.Cut(names, ">")
	var read ExchangePair
	var fromOK, toOK bool
	read.TickerFrom, read.NetworkFrom, fromOK = strings.Cut(from, ":")
	read.TickerTo, read.NetworkTo, toOK = strings.Cut(to, ":")
	numbers := strings.Split(amounts, ":")
	if !ok || !arrow || !fromOK || !toOK || len(numbers) != 3 || from == to {
		return fmt.Errorf("%q is not of the form xmr:Mainnet>ltc:Mainnet=0.05:20:1", text)
	}
	for i, into := range []*money.Decimal{&read.Min, &read.Max, &read.Step} {
		n, err := money.ParseDecimal(numbers[i])
		if err != nil || n.Sign() <= 0 {
			return fmt.Errorf("%q: %q is not a positive number", text, numbers[i])
		}
		*into = n
	}
	if read.Max.Cmp(read.Min) < 0 {
		return fmt.Errorf("%q: the maximum is below the minimum", text)
	}
	*p = read
	return nil
}

// Window returns how long a deposit may take.
func (c Config) Window() time.Duration { return time.Duration(c.DepositWindow) * time.Second }

// ConfirmGrace is DepositConfirm as a duration.
func (c Config) ConfirmGrace() time.Duration { return time.Duration(c.DepositConfirm) * time.Second }

// ExchangeRoute says who may fill the pairs from one coin to another.
type ExchangeRoute struct {
	// From and To are coins as xmr:Mainnet, or "*" for all.
	From, To string
	// Policy is best, precheck (the exchange alone), upstream (providers alone), off,
	// or names of providers joined by "+".
	Policy string
}

// UnmarshalText reads xmr:Mainnet>*=durapay+house.
func (r *ExchangeRoute) UnmarshalText(text []byte) error {
	names, policy, ok := strings.Cut(string(text), "=")
	from, to, arrow := strings.Cut(names, ">")
	if !ok || !arrow || policy == "" || !coinOrAll(from) || !coinOrAll(to) {
		return fmt.Errorf("%q is not of the form xmr:Mainnet>*=best", text)
	}
	*r = ExchangeRoute{From: from, To: to, Policy: policy}
	return nil
}

func coinOrAll(text string) bool {
	ticker, network, ok := strings.Cut(text, ":")
	return text == "*" || (ok && ticker != "" && network != "")
}
