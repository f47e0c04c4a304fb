package exchange

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/durapay/durapay/internal/coin"
)

// addressMark is the placeholder for the address in a template.
const addressMark = "{address}"

// Explorers holds the URL templates of block explorers' address pages, by the
// coin's key. A coin whose chain shows no addresses, such as Monero, has none.
type Explorers map[string]string

// ReadExplorers reads templates from a JSON file, an object such as
// {"ltc:Mainnet": "https://explorer.example/address/{address}"}. An empty path
// yields no templates. An unknown coin or an invalid template is an error.
func ReadExplorers(path string) (Explorers, error) {
	if path == "" {
		return Explorers{}, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("EXPLORERS_FILE: %w", err)
	}
	var read map[string]string
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, fmt.Errorf("EXPLORERS_FILE: %w", err)
	}
	templates := Explorers{}
	for key, template := range read {
		ticker, network, _ := strings.Cut(key, ":")
		known, ok := coin.Lookup(ticker, network)
		if !ok {
			return nil, fmt.Errorf("EXPLORERS_FILE: %s is not a known coin", key)
		}
		if !isTemplate(template) {
			return nil, fmt.Errorf("EXPLORERS_FILE: the URL of %s must be an http or https one with %s once", key, addressMark)
		}
		templates[known.Key()] = template
	}
	return templates, nil
}

func isTemplate(text string) bool {
	u, err := url.Parse(strings.Replace(text, addressMark, "x", 1))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && strings.Count(text, addressMark) == 1
}

// Address returns the URL of an address's page; nil where no explorer is
// configured.
func (e Explorers) Address(ticker, network, address string) *string {
	template, ok := e[ticker+":"+network]
	if !ok {
		return nil
	}
	page := strings.Replace(template, addressMark, url.PathEscape(address), 1)
	return &page
}
