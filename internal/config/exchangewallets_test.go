package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestLoadExchangeWallets(t *testing.T) {
	t.Parallel()
	const (
		xmr = `{"ticker":"xmr","network":"Mainnet","confirmations":10,"monero":{"primary_address":"4A","view_key_file":"/v","spend_url":"http://s"}}`
		ltc = `{"ticker":"ltc","network":"Mainnet","confirmations":2,"daemon":{"url":"http://l","login_file":"/l","zmq_address":"l:28332","wallet":"exchange"}}`
	)
	load := func(content string) ([]config.ExchangeWallet, error) {
		path := filepath.Join(t.TempDir(), "wallets.json")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return config.LoadExchangeWallets(path)
	}
	list, err := load("[" + xmr + "," + ltc + "]")
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "http://s", list[0].Monero.SpendURL)
	require.Equal(t, "exchange", list[1].Daemon.Wallet)
	require.Equal(t, "l:28332", list[1].Daemon.ZMQAddress)
	require.EqualValues(t, 2, list[1].Confirmations)

	peer := strings.Replace(ltc, `"zmq_address":"l:28332"`, `"p2p_address":"l:9333"`, 1)
	list, err = load("[" + peer + "]")
	require.NoError(t, err)
	require.Equal(t, "l:9333", list[0].Daemon.P2PAddress)
	require.Empty(t, list[0].Daemon.ZMQAddress)
	_, err = load("[" + strings.Replace(peer, `"wallet"`, `"zmq_address":"l:28332","wallet"`, 1) + "]")
	require.ErrorContains(t, err, "zmq_address and p2p_address must not both be set")

	none, err := config.LoadExchangeWallets("")
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = config.LoadExchangeWallets(filepath.Join(t.TempDir(), "missing"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, bad := range []string{
		"", "{}", "[" + xmr + "," + xmr + "]", "[{}]",
		"[" + strings.Replace(xmr, "xmr", "", 1) + "]", "[" + strings.Replace(ltc, "Mainnet", "", 1) + "]",
		"[" + strings.Replace(ltc, `:2`, `:0`, 1) + "]", "[" + strings.Replace(ltc, `:2`, `:61`, 1) + "]",
		"[" + strings.Replace(ltc, "http://l", "", 1) + "]", "[" + strings.Replace(ltc, `"/l"`, `""`, 1) + "]",
		"[" + strings.Replace(ltc, "l:28332", "tcp://l:28332", 1) + "]",
		"[" + strings.Replace(peer, "l:9333", "l", 1) + "]",
		"[" + strings.Replace(xmr, "/v", "", 1) + "]", "[" + strings.Replace(xmr, "http://s", "", 1) + "]",
		`[{"ticker":"xmr","network":"Mainnet","confirmations":2}]`,
		"[" + strings.Replace(ltc, `"daemon"`, `"monero":{},"daemon"`, 1) + "]",
	} {
		_, err := load(bad)
		require.ErrorContains(t, err, "EXCHANGE_WALLETS_FILE", bad)
	}
}
