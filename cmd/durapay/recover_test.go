package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// TestRecoveryWakesWhomItConcernsInAnyCase covers a wallet that fails half way or after
// another wallet: the debts that it freed would otherwise wait for the next hourly check.
func TestRecoveryWakesWhomItConcernsInAnyCase(t *testing.T) {
	t.Parallel()
	away := errors.New("the wallet is away")
	for name, c := range map[string]struct {
		fails  string
		listed []string
	}{
		"none fails": {"", []string{"first", "second"}}, "the first fails": {"first", []string{"second"}}, "the second fails": {"second", []string{"first"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tried []string
			run := func(_ context.Context, id string) (witness.Recovery, error) {
				if tried = append(tried, id); id == c.fails {
					return witness.Recovery{}, away
				}
				return witness.Recovery{WalletID: id}, nil
			}
			woken := 0
			list, err := recoverWallets(t.Context(), []string{"first", "second"}, run, func(context.Context) error {
				woken++
				return nil
			})
			require.Equal(t, []string{"first", "second"}, tried, "one that is away keeps no other in safe mode")
			require.Equal(t, 1, woken)
			listed := []string{}
			for _, found := range list {
				listed = append(listed, found.WalletID)
			}
			require.Equal(t, c.listed, listed, "what was done is shown")
			if c.fails == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, away)
			require.ErrorContains(t, err, "wallet "+c.fails)
		})
	}
}

// TestRecoveredPayoutWithoutAnAddressIsSealed covers a merchant without a payout address in
// this copy of the database. The empty address is sealed too, so that a rekey can process the
// row.
func TestRecoveredPayoutWithoutAnAddressIsSealed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "keyset.json")
	require.NoError(t, secret.NewKeysetFile(file))
	box, err := secret.Open(file)
	require.NoError(t, err)
	const id = "po_000000000000000000000001"
	sealed, err := (&base{box: box}).payoutAddress(db.Merchant{}, id)
	require.NoError(t, err)
	plain, err := box.Unseal(sealed, secret.SweepAddressPlace.Of(id))
	require.NoError(t, err)
	require.Empty(t, plain)
}
