package exchange_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/exchange"
)

func explorers(t *testing.T, content string) (exchange.Explorers, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "explorers.json")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return exchange.ReadExplorers(path)
}

func TestExplorersShowAddresses(t *testing.T) {
	t.Parallel()
	pages, err := explorers(t, `{"ltc:mainnet": "https://ltc.example/address/{address}", "bch:Mainnet": "http://bch.onion/?a={address}&x=1"}`)
	require.NoError(t, err)
	require.Equal(t, "https://ltc.example/address/ltc1abc", *pages.Address("ltc", "Mainnet", "ltc1abc"))
	require.Equal(t, "http://bch.onion/?a=bitcoincash:q%2F%3F%23&x=1", *pages.Address("bch", "Mainnet", "bitcoincash:q/?#"))
	require.Nil(t, pages.Address("xmr", "Mainnet", "4"))
	none, err := exchange.ReadExplorers("")
	require.NoError(t, err)
	require.Nil(t, none.Address("ltc", "Mainnet", "x"))
}

func TestWrongExplorersAreRefused(t *testing.T) {
	t.Parallel()
	for _, content := range []string{
		``, `[]`, `{"ltc:Mainnet": 1}`, `{"none:Mainnet": "https://x.example/{address}"}`, `{"ltc": "https://x.example/{address}"}`,
		`{"ltc:Mainnet": "https://x.example/"}`, `{"ltc:Mainnet": "https://x.example/{address}/{address}"}`,
		`{"ltc:Mainnet": "ftp://x.example/{address}"}`, `{"ltc:Mainnet": "/{address}"}`, `{"ltc:Mainnet": "https:///{address}"}`,
		`{"ltc:Mainnet": "javascript:alert('{address}')"}`,
	} {
		_, err := explorers(t, content)
		require.ErrorContains(t, err, "EXPLORERS_FILE", content)
	}
	_, err := exchange.ReadExplorers(filepath.Join(t.TempDir(), "none"))
	require.Error(t, err)
}
