package adapter

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
)

// ConfigEntry is one provider in the file of providers.
type ConfigEntry struct {
	// Name is unique and must never change, because swaps store it.
	Name string `json:"name"`
	// Kind is the dialect: durapay, aggregator, exolix or changenow.
	Kind string `json:"kind"`
	// URL replaces the default URL of the kind. The kinds durapay and aggregator have
	// no default.
	URL string `json:"url"`
	// KeyFile contains the key. Some providers need none.
	KeyFile string          `json:"key_file"`
	Risk    provider.Risk   `json:"risk"`
	Rating  provider.Rating `json:"rating"`
	// Direct calls the provider without the SOCKS5 proxy.
	Direct bool `json:"direct"`
	// Private marks a provider whose coins are on private chains, for development.
	Private bool `json:"private"`
}

// kind describes a dialect.
type kind struct {
	url, keyHeader string
	make           func(*Client, provider.Profile) provider.Provider
}

func kinds() map[string]kind {
	return map[string]kind{
		"durapay":    {"", APIKeyHeader, Durapay},
		"aggregator": {"", APIKeyHeader, Aggregator},
		"exolix":     {"https://exolix.com", ExolixKeyHeader, Exolix},
		"changenow":  {"https://api.changenow.io", ChangeNOWKeyHeader, ChangeNOW},
	}
}

// ConfigFile is a list of providers.
type ConfigFile struct {
	// Variable is the name of the setting that contains the path. Errors mention it.
	Variable string
	// Path is the path of the file. If it is empty, there are no providers.
	Path string
	// Taken is a name that providers must not have, because the exchange fills swaps
	// itself under it. It may be empty.
	Taken string
}

// Providers reads a JSON list of entries and makes their providers, in the order
// of the file. Its errors contain the setting, the file and the entry.
func (f ConfigFile) Providers(o config.Outbound) ([]provider.Provider, error) {
	if f.Path == "" {
		return nil, nil
	}
	b, err := os.ReadFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Variable, err)
	}
	var entries []ConfigEntry
	if err := json.Unmarshal(b, &entries); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", f.Variable, f.Path, err)
	}
	seen := map[string]bool{}
	list := make([]provider.Provider, 0, len(entries))
	for i, e := range entries {
		p, err := OpenProvider(e, o)
		switch {
		case err != nil:
		case seen[e.Name]:
			err = errors.New("the name is not unique")
		case e.Name == f.Taken:
			err = errors.New("the exchange fills swaps itself under this name: choose another")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s: entry %d, provider %q: %w", f.Variable, f.Path, i+1, e.Name, err)
		}
		seen[e.Name] = true
		list = append(list, p)
	}
	return list, nil
}

// OpenProvider makes one provider.
func OpenProvider(e ConfigEntry, o config.Outbound) (provider.Provider, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	key, err := config.ReadSecret(e.KeyFile)
	if err != nil {
		return nil, err
	}
	k := kinds()[e.Kind]
	client := &Client{HTTP: httpClient(e, o), Base: cmp.Or(e.URL, k.url), UserAgent: o.SwapUserAgent, Header: http.Header{}}
	if key != "" {
		client.Header.Set(k.keyHeader, key)
	}
	net := coin.Main
	if e.Private {
		net = coin.Regtest
	}
	return k.make(client, provider.Profile{Name: e.Name, Risk: e.Risk, Rating: e.Rating, Net: net}), nil
}

// check refuses an incomplete entry. It also refuses a name that a well-known
// wallet hides.
func (e ConfigEntry) check() error {
	k, known := kinds()[e.Kind]
	switch {
	case !names().MatchString(e.Name):
		return fmt.Errorf("a name has lower-case letters, digits and dashes, at most 32")
	case e.Name == "changenow":
		return fmt.Errorf("wallets that speak the aggregator's dialect hide this name: choose another")
	case !known:
		return fmt.Errorf("kind %q is unknown", e.Kind)
	case !e.Risk.Known():
		return fmt.Errorf("risk %q is unknown", e.Risk)
	case !e.Rating.Known():
		return fmt.Errorf("rating %q is unknown", e.Rating)
	case e.URL == "" && k.url == "":
		return fmt.Errorf("url is missing")
	case e.URL != "" && !strings.HasPrefix(e.URL, "https://") && !strings.HasPrefix(e.URL, "http://"):
		return fmt.Errorf("url is neither https nor http")
	}
	return nil
}

func names() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`) }

func httpClient(e ConfigEntry, o config.Outbound) *http.Client {
	policy, options := outbound.Policy{AllowedNets: o.WebhookAllowedNets}, outbound.Options{Timeout: callTime}
	if e.Direct {
		return outbound.NewDirect(policy, options)
	}
	return outbound.NewProxied(o.SOCKS5Proxy, policy, options)
}
