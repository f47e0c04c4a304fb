package merchant_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
)

// anotherAddress is a mainnet address that differs from payoutAddress.
const anotherAddress = subaddress

// TestChangedAddressHoldsSweeps checks through the API when sweeps wait. The refusal of the
// sweep itself is tested by TestSweepWaitsForTheHold in activities.
func TestChangedAddressHoldsSweeps(t *testing.T) {
	t.Parallel()
	const hold = 24 * time.Hour
	b := setup(t, withLimits, func(d *merchant.Deps) { d.PayoutHold = hold })
	s := b.signup(t)
	until := func() any {
		me := b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK).field(t, "merchant.payoutHoldUntil")
		require.Equal(t, me, b.as(t, s, http.MethodGet, "/api/payouts/balance", "").field(t, "payout_hold_until"))
		return me
	}
	set := func(address string) {
		b.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, address)).require(t, http.StatusOK)
	}
	swap := func(body string) {
		b.as(t, s, http.MethodPut, "/api/merchants/auto-swap", body).require(t, http.StatusOK, body)
	}
	over := func() {
		held := until()
		require.Equal(t, b.clock.Now().Add(hold).Format("2006-01-02T15:04:05.000Z"), held)
		b.clock.advance(hold - time.Millisecond)
		require.Equal(t, held, until())
		b.clock.advance(time.Millisecond)
		require.Nil(t, until())
		s.token = b.session(t, s)
	}
	require.Nil(t, until())
	set(payoutAddress)
	require.Nil(t, until(), "before the first address there was nowhere to go")
	set(payoutAddress)
	require.Nil(t, until(), "the same address")
	set(anotherAddress)
	over()
	const litecoin = "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	swap(`{"enabled":false}`)
	require.Nil(t, until())
	swap(fmt.Sprintf(`{"enabled":true,"currency":"ltc","address":%q}`, litecoin))
	over()
	swap(fmt.Sprintf(`{"enabled":true,"currency":"ltc","address":%q}`, litecoin))
	swap(`{"enabled":false}`)
	require.Nil(t, until(), "the same address, and none")
	swap(fmt.Sprintf(`{"enabled":false,"currency":"ltc","address":%q}`, "LhK2kQwiaAvhjWY799cZvMyYwnQAcxkarr"))
	over()
	set(payoutAddress)
	b.clock.advance(time.Hour)
	set(anotherAddress)
	over()
}

// TestAConversionIsHeldWhenItIsEnabled simulates a thief who sets an address of the conversion
// before any hold applied, and turns the conversion on when the owner sweeps.
func TestAConversionIsHeldWhenItIsEnabled(t *testing.T) {
	t.Parallel()
	const hold, thief = 24 * time.Hour, "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9"
	enable := fmt.Sprintf(`{"enabled":true,"currency":"ltc","address":%q}`, thief)
	b := setup(t, withLimits, func(d *merchant.Deps) { d.PayoutHold = hold })
	s := b.signup(t)
	until := func() any {
		return b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK).field(t, "merchant.payoutHoldUntil")
	}
	swap := func(body string) {
		b.as(t, s, http.MethodPut, "/api/merchants/auto-swap", body).require(t, http.StatusOK)
	}
	swap(fmt.Sprintf(`{"enabled":false,"currency":"ltc","address":%q}`, thief))
	require.Nil(t, until(), "there is nowhere to go yet")
	b.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
	require.Nil(t, until())
	b.clock.advance(60 * 24 * time.Hour)
	s.token = b.session(t, s)
	swap(enable)
	held := b.clock.Now().Add(hold).Format("2006-01-02T15:04:05.000Z")
	require.Equal(t, held, until())
	b.clock.advance(time.Hour)
	swap(enable)
	require.Equal(t, held, until(), "it was enabled: where sweeps go is what it was")
}

func TestWithoutAHoldNoPayoutWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	for _, address := range []string{payoutAddress, anotherAddress} {
		b.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, address)).require(t, http.StatusOK)
	}
	require.Nil(t, b.as(t, s, http.MethodGet, "/api/auth/me", "").field(t, "merchant.payoutHoldUntil"))
}
