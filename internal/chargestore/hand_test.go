package chargestore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
)

// TestAnAddressOfAnotherDatabaseIsNotUsed replaces the database's rows by those of a new
// installation while a process has an address in hand.
func TestAnAddressOfAnotherDatabaseIsNotUsed(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	s.exec(t, "DELETE FROM events")
	s.exec(t, "DELETE FROM charges")
	s.exec(t, "UPDATE addresses SET address = 'new ' || subaddress_index, former_charge_id = NULL")
	s.exec(t, "TRUNCATE witnesses")
	s.exec(t, "INSERT INTO witnesses (wallet_id, addresses, lease_to, lease_instance) VALUES ($1, 1000, 1000, database_instance())", walletID)
	made := s.create(t, s.request())
	require.Equal(t, "new 1", made.Subaddress)
}

// TestWhoHangsUpLosesNoAddress: whoever leaves before anything is inserted leaves the address
// to the next charge.
func TestWhoHangsUpLosesNoAddress(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	s.withAddress(t)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	for _, source := range []charge.Source{charge.FromButton, charge.FromAPI} {
		in := s.request()
		in.Source = source
		_, err := s.charges.Create(gone, in)
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, 3, s.indexOf(t, s.create(t, s.request()).ID))
}

// TestAnEmptyPoolIsNotWrittenTo: whoever is refused waits for nobody who changes the wallet.
func TestAnEmptyPoolIsNotWrittenTo(t *testing.T) {
	t.Parallel()
	s := open(t, 1)
	s.create(t, s.request())
	before := s.number(t, "SELECT xmax::text::bigint FROM witnesses")
	_, err := s.charges.Create(t.Context(), s.request())
	requireRefused(t, err, refusals.NoAddress)
	require.Equal(t, before, s.number(t, "SELECT xmax::text::bigint FROM witnesses"))
}
