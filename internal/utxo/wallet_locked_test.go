package utxo_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/utxo"
)

// scenarioEncrypted signs with a wallet whose keys are encrypted, and checks
// that the wallet is locked whenever nothing is being signed.
func scenarioEncrypted(t *testing.T, s *stack.Stack) {
	ctx := t.Context()
	login, err := os.ReadFile(s.Dir() + "/secrets/litecoin-login")
	require.NoError(t, err)
	dial := func(passphrase string) *utxo.Client {
		c, err := utxo.New(utxo.Endpoint{
			URL: "http://" + s.Addr("litecoind"), Login: strings.TrimSpace(string(login)), Wallet: "sealed", Passphrase: passphrase,
		}, unhurried())
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c
	}
	const passphrase = "correct horse battery staple"
	c, customer := dial(passphrase), open(t, s, unhurried())
	require.NoError(t, c.EnsureWallet(ctx, "sealed"))
	to, err := c.NewAddress(ctx)
	require.NoError(t, err)
	from := coin(t, customer)
	raw, _, err := customer.Create(ctx, utxo.Spend{Coins: []utxo.Coin{from.Coin}, Payees: []utxo.Payee{{Address: to, Amount: utxo.OneCoin}}, FeeRate: 10_000})
	require.NoError(t, err)
	require.NoError(t, customer.Send(ctx, raw))
	_, err = customer.Generate(ctx, to, 1)
	require.NoError(t, err)

	var mine utxo.Unspent
	list, err := c.Unspent(ctx, 1)
	require.NoError(t, err)
	for _, u := range list {
		if u.Amount == utxo.OneCoin {
			mine = u
		}
	}
	require.Equal(t, utxo.OneCoin, mine.Amount)
	spend := utxo.Spend{Coins: []utxo.Coin{mine.Coin}, Payees: []utxo.Payee{{Address: to, Amount: utxo.OneCoin / 2}}, FeeRate: 10_000}
	without, wrong := dial(""), dial("wrong")
	for range 2 { // the wallet is locked after the first round too
		_, _, err = without.Create(ctx, spend)
		require.ErrorContains(t, err, "code -13", "the wallet is locked")
		_, _, err = wrong.Create(ctx, spend)
		require.ErrorIs(t, err, utxo.ErrPassphrase)
		require.NotContains(t, err.Error(), "wrong\"")
		raw, _, err = c.Create(ctx, spend)
		require.NoError(t, err)
		require.NoError(t, c.TestAccept(ctx, raw))
	}
	notEncrypted, err := utxo.New(utxo.Endpoint{URL: s.Env()["LITECOIN_RPC_URL"], Passphrase: passphrase}, unhurried())
	require.NoError(t, err)
	defer notEncrypted.Close()
	_, _, err = notEncrypted.Create(ctx, utxo.Spend{Coins: []utxo.Coin{coin(t, customer).Coin}, Payees: []utxo.Payee{{Address: to, Amount: utxo.OneCoin}}, FeeRate: 10_000})
	require.ErrorIs(t, err, utxo.ErrPassphrase, "a wallet that was to be encrypted is not")

	// The stack's daemon is configured to make a hundred keys ahead.
	seen := map[string]bool{}
	for range 130 {
		address, err := c.NewAddress(ctx)
		require.NoError(t, err)
		require.False(t, seen[address])
		seen[address] = true
	}
	_, _, err = without.Create(ctx, spend)
	require.ErrorContains(t, err, "code -13", "locked again")
}
