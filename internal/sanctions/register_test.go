package sanctions_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/sanctions"
)

func register(t *testing.T) sanctions.Register {
	t.Helper()
	return sanctions.Register{Store: pgtest.New(t)}
}

func offer(t *testing.T, r sanctions.Register, list sanctions.List, now time.Time, want sanctions.Outcome) {
	t.Helper()
	got, err := r.Offer(t.Context(), list, now)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// alerts returns the open alerts by kind.
func alerts(t *testing.T, r sanctions.Register) map[string]string {
	t.Helper()
	rows, err := r.Store.ListAlerts(t.Context(), db.ListAlertsParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	open := map[string]string{}
	for _, a := range rows {
		open[a.Kind] = a.Detail
	}
	return open
}

func isSanctioned(t *testing.T, r sanctions.Register, addresses ...string) bool {
	t.Helper()
	sanctioned, err := r.Sanctioned(t.Context(), addresses...)
	require.NoError(t, err)
	return sanctioned
}

func TestAddressesAreComparedAcrossAssetsAndSpellings(t *testing.T) {
	t.Parallel()
	r := register(t)
	_, err := r.Sanctioned(t.Context(), base58)
	require.ErrorIs(t, err, sanctions.ErrNoList, "without a list nobody is cleared")

	list, err := sanctions.Parse(strings.NewReader(sdn("", entries()...)))
	require.NoError(t, err)
	offer(t, r, list, start, sanctions.Enforced)
	for _, address := range []string{
		evm, evmMixed, strings.ToUpper(evm), bech32, strings.ToUpper(bech32), base58, cashaddr, "bitcoincash:" + cashaddr, opaque,
	} {
		require.True(t, isSanctioned(t, r, address), address)
		require.True(t, isSanctioned(t, r, "1Clean", "", address), address)
	}
	require.False(t, isSanctioned(t, r, strings.ToLower(base58), "1Clean", ""), "base58 is compared letter for letter")
	require.False(t, isSanctioned(t, r))
}

// TestFormsOfOneAddressAreListedTogether checks a listed address in another
// form, because both forms have the same owner.
func TestFormsOfOneAddressAreListedTogether(t *testing.T) {
	t.Parallel()
	r := register(t)
	list, err := sanctions.Parse(strings.NewReader(sdn("", sanctioned{"XMR", primary}, sanctioned{"LTC", oldScript})))
	require.NoError(t, err)
	offer(t, r, list, start, sanctions.Enforced)
	for _, address := range []string{primary, integrated, oldScript, script} {
		require.True(t, isSanctioned(t, r, address), address)
	}
	require.False(t, isSanctioned(t, r, subaddress), "nothing tells whose it is")

	list, err = sanctions.Parse(strings.NewReader(sdn("", sanctioned{"XMR", integrated}, sanctioned{"LTC", script})))
	require.NoError(t, err)
	offer(t, r, list, start, sanctions.Enforced)
	for _, address := range []string{primary, integrated, script} {
		require.True(t, isSanctioned(t, r, address), address)
	}
	require.False(t, isSanctioned(t, r, oldScript), "it is Bitcoin's when it is given")
}

func TestListThatLostHalfWaitsForAnOperator(t *testing.T) {
	t.Parallel()
	r := register(t)
	whole, half, small := made(t, "A", 10), made(t, "B", 5), made(t, "C", 2)
	_, err := r.Accept(t.Context(), "cli:root", start)
	require.ErrorIs(t, err, sanctions.ErrNothingRefused)

	offer(t, r, whole, start, sanctions.Enforced)
	offer(t, r, whole, start.Add(time.Hour), sanctions.Unchanged)
	offer(t, r, half, start.Add(2*time.Hour), sanctions.Enforced)
	require.False(t, isSanctioned(t, r, "1A0"))
	require.True(t, isSanctioned(t, r, "1B4"))

	for range 2 { // the same list every day is only one refusal
		offer(t, r, small, start.Add(3*time.Hour), sanctions.Refused)
		require.True(t, isSanctioned(t, r, "1B4"), "the last good list stays in force")
		require.False(t, isSanctioned(t, r, "1C0"))
		require.Contains(t, alerts(t, r)[alert.SanctionsRefused], "2 addresses was refused, the one in force has 5")
	}
	lists, err := r.Lists(t.Context())
	require.NoError(t, err)
	require.Len(t, lists, 2)

	n, err := r.Accept(t.Context(), "cli:root", start.Add(4*time.Hour))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	audit, err := r.Store.ListAudit(t.Context(), db.ListAuditParams{Before: math.MaxInt64, MaxRows: 10})
	require.NoError(t, err)
	require.Len(t, audit, 1)
	require.Equal(t, [3]string{"cli:root", "sanctions.accept", `{"entries":2}`}, [3]string{audit[0].Actor, audit[0].Action, audit[0].Detail})
	require.True(t, isSanctioned(t, r, "1C0"))
	require.False(t, isSanctioned(t, r, "1B4"))
	require.Empty(t, alerts(t, r))
	_, err = r.Accept(t.Context(), "cli:root", start)
	require.ErrorIs(t, err, sanctions.ErrNothingRefused, "accepted once")
	offer(t, r, small, start.Add(5*time.Hour), sanctions.Unchanged)
}

func TestRefusedListIsForgottenWhenTheSourceIsWellAgain(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]sanctions.List{"the same list": made(t, "A", 10), "a new one": made(t, "B", 12)} {
		r := register(t)
		offer(t, r, made(t, "A", 10), start, sanctions.Enforced)
		offer(t, r, made(t, "C", 4), start, sanctions.Refused)
		offer(t, r, made(t, "D", 3), start, sanctions.Refused) // replaces the previous one
		_, err := r.Offer(t.Context(), next, start)
		require.NoError(t, err)
		require.Empty(t, alerts(t, r), name)
		_, err = r.Accept(t.Context(), "cli:root", start)
		require.ErrorIs(t, err, sanctions.ErrNothingRefused, name)
	}
}

func TestTwoWorkersMayReadAtTheSameTime(t *testing.T) {
	t.Parallel()
	r := register(t)
	list := made(t, "A", 100)
	var wait sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		wait.Go(func() {
			_, err := r.Offer(t.Context(), list, start)
			failed <- err
		})
	}
	wait.Wait()
	close(failed)
	for err := range failed {
		require.NoError(t, err)
	}
	lists, err := r.Lists(t.Context())
	require.NoError(t, err)
	require.Len(t, lists, 1)
}

func TestStaleListRaisesAnAlertAndStaysInForce(t *testing.T) {
	t.Parallel()
	r := register(t)
	ages := sanctions.Ages{Checked: 48 * time.Hour, Published: sanctions.MaxPublished}
	check := func(now time.Time) string {
		reason, err := r.CheckAge(t.Context(), now, ages)
		require.NoError(t, err)
		_, open := alerts(t, r)[alert.SanctionsStale]
		require.Equal(t, reason != "", open)
		return reason
	}
	require.Contains(t, check(start), "no sanctions list is in force")
	offer(t, r, made(t, "A", 10), start, sanctions.Enforced) // issued a day earlier
	require.Empty(t, check(start.Add(48*time.Hour)))
	require.Contains(t, check(start.Add(48*time.Hour+time.Second)), "last read at 2026-11-21T09:30:00Z")
	require.True(t, isSanctioned(t, r, "1A0"))

	offer(t, r, made(t, "A", 10), start.Add(50*time.Hour), sanctions.Unchanged)
	require.Empty(t, check(start.Add(50*time.Hour)))

	later := start.Add(sanctions.MaxPublished)
	offer(t, r, made(t, "A", 10), later, sanctions.Unchanged)
	require.Contains(t, check(later), "issued on 2026-11-20", "a file that nobody renews is stale however often it is read")

	offer(t, r, made(t, "B", 3), start.Add(49*time.Hour), sanctions.Refused)
	_, err := r.Accept(t.Context(), "cli:root", later)
	require.NoError(t, err)
	require.Contains(t, check(later.Add(time.Hour)), "last read", "accepting a list does not make it fresh")
}
