package config

import (
	"fmt"
	"strings"
)

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
