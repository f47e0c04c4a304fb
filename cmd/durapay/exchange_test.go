package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/watch"
)

func TestExchangeFindsThePublisherOfItsDaemon(t *testing.T) {
	t.Parallel()
	ltc, ok := coin.Find("ltc", "")
	require.True(t, ok)
	bch, ok := coin.Find("bch", "")
	require.True(t, ok)
	peer := &config.DaemonWallet{P2PAddress: "l:9333"}

	p, err := daemonPublisher(peer, ltc, exchangeNet(config.Exchange{}))
	require.NoError(t, err)
	require.Equal(t, watch.NodePublisher("l:9333", [4]byte{0xfb, 0xc0, 0xb6, 0xdb}), p)
	p, err = daemonPublisher(peer, ltc, exchangeNet(config.Exchange{ExchangeRegtest: true}))
	require.NoError(t, err)
	require.Equal(t, watch.NodePublisher("l:9333", [4]byte{0xfa, 0xbf, 0xb5, 0xda}), p)
	_, err = daemonPublisher(peer, bch, coin.Main)
	require.ErrorContains(t, err, "the network of bch:Mainnet is not known")

	p, err = daemonPublisher(&config.DaemonWallet{ZMQAddress: "l:28332"}, bch, coin.Main)
	require.NoError(t, err)
	require.Equal(t, watch.BitcoindPublisher("l:28332"), p)
	p, err = daemonPublisher(&config.DaemonWallet{}, ltc, coin.Main)
	require.NoError(t, err)
	require.Empty(t, p.Address, "it is polled")
}
