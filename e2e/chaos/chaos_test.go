package main

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/pgtest"
)

func drawn(seed uint64, n int) (list []round) {
	r := newRounds(seed)
	for range n {
		list = append(list, r.next())
	}
	return list
}

func TestDisturbancesComeFromTheSeed(t *testing.T) {
	t.Parallel()
	const many = 400
	first := drawn(7, many)
	require.Equal(t, first, drawn(7, many))
	require.NotEqual(t, first, drawn(8, many))
	happened, at := map[string]bool{}, map[string]bool{}
	for _, r := range first {
		require.NotEmpty(t, r.list)
		require.LessOrEqual(t, len(r.list), mostAtOnce)
		if r.at != nil {
			at[r.at.name] = true
			require.Equal(t, r.at.during, r.list[0].on, "the first one makes the place dangerous")
		}
		on := map[string]bool{}
		for _, x := range r.list {
			happened[x.String()] = true
			require.False(t, on[x.on], "one thing at a time for each part")
			on[x.on] = true
			k := kindOf(x)
			require.True(t, !k.alone || len(r.list) == 1, "%s", r)
			require.Equal(t, k.longest > 0, x.lasts > 0)
			if x.lasts > 0 {
				require.GreaterOrEqual(t, x.lasts, leastAway)
				require.LessOrEqual(t, x.lasts, k.longest)
			}
		}
	}
	for _, k := range kinds() {
		for _, name := range k.on {
			require.True(t, happened[disturbance{kind: k.name, on: name}.String()], "%s %s at some time", k.name, name)
		}
	}
	for _, p := range aimed() {
		require.True(t, at[p.name], "%s is aimed at", p.name)
	}
}

func TestEachActorHasItsOwnDice(t *testing.T) {
	t.Parallel()
	again := newDice(7, "shop 1")
	require.Equal(t, again.Uint64(), newDice(7, "shop 1").Uint64())
	require.NotEqual(t, newDice(7, "shop 1").Uint64(), newDice(7, "shop 2").Uint64())
}

func TestEveryPlaceIsOfSomethingThatHappens(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, p := range dangerous() {
		require.False(t, names[p.name], "two places are called %q", p.name)
		names[p.name] = true
		found := p.during == ""
		for _, k := range kinds() {
			for _, on := range k.on {
				found = found || on == p.during
			}
		}
		require.True(t, found, "nothing happens on %q", p.during)
	}
}

// The rows of every place are those of the schema.
func TestPlacesAreReachedWhileSomethingIsAway(t *testing.T) {
	t.Parallel()
	url, away := pgtest.NewURL(t), false
	p := newPlaces(func(ctx context.Context) (*pgx.Conn, error) {
		if away {
			return nil, errors.New("PostgreSQL is away")
		}
		return pgx.Connect(ctx, url)
	})
	const worker, database = "a worker was away: test", "PostgreSQL was away: test"
	const rows = "addresses WHERE subaddress_index = 7"
	p.all = append(p.all, &place{worker, "worker", "(VALUES (1)) v"}, &place{database, "postgres", rows}, &place{"none: test", "worker", rows})
	p.enter(t.Context(), "worker")
	p.look(t.Context(), p.all)
	require.Equal(t, map[string]int{worker: 1}, p.counts(), "it counts once")
	p.leave("worker")
	p.enter(t.Context(), "worker")
	require.Equal(t, 2, p.counts()[worker])
	require.Contains(t, p.never(), "none: test")
	require.NotContains(t, p.never(), worker)

	p.there[database], away, p.conn = true, true, nil
	p.enter(t.Context(), "postgres")
	require.Equal(t, 1, p.counts()[database], "what was there stays while nobody can change it")
}

func TestARowThatNothingMovesIsAFault(t *testing.T) {
	t.Parallel()
	url := pgtest.NewURL(t)
	c := &counter{testbed: &testbed{Fixture: &fixture.Fixture{URLs: map[string]string{"DATABASE_URL": url}}}}
	require.NoError(t, fixture.Try(func() { c.rows(t.Context()) }))
	require.Empty(t, c.faults)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO wakeups (kind, id, owner, urgency, version, since)
		VALUES ('charges', 'new', 'm', 2, 0, now()), ('payouts', 'old', 'm', 1, 1, now() - interval '2 minutes')`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	require.NoError(t, fixture.Try(func() { c.rows(t.Context()) }))
	require.Equal(t, []fixture.Fault{{Kind: fixture.RowStranded, Subject: "old", What: "wakeup: Temporal does not have it"}}, c.faults)
}

func TestTableCountsFaultsByKind(t *testing.T) {
	t.Parallel()
	made := newTally()
	made.disturbed(disturbance{kind: "killed", on: "worker"})
	made.disturbed(disturbance{kind: "killed", on: "worker"})
	made.did(chargesMade, 12)
	place := dangerous()[0].name
	shown := made.table(map[string]int{place: 3}, []fixture.Fault{{Kind: fixture.ChargeMissing}, {Kind: fixture.TradePaidTwice}, {Kind: fixture.TradePaidTwice}})
	for what, n := range map[string]string{
		"charges promised": "12", "killed worker": "2", "all": "2", place: "3", "promised charges gone": "1", "trades paid twice": "2", "trades unpaid": "0",
	} {
		require.Regexp(t, `\| `+what+` +\| +`+n+` \|`, shown)
	}
}

func TestOnlyALongRunMustReachEveryPlace(t *testing.T) {
	t.Parallel()
	require.NoError(t, verdict(longRun-1, nil, []string{"a place"}))
	require.ErrorIs(t, verdict(longRun, nil, []string{"a place"}), errNeverReached)
	require.ErrorIs(t, verdict(1, []fixture.Fault{{}}, nil), errFaults)
	require.NoError(t, verdict(longRun, nil, nil))
}

func TestDeliveriesAreTimedFromTheReturn(t *testing.T) {
	t.Parallel()
	w := &testbed{Fixture: &fixture.Fixture{URLs: map[string]string{"DATABASE_URL": pgtest.NewURL(t)}}}
	conn, err := w.database(t.Context())
	require.NoError(t, err)
	returned := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	const event = `INSERT INTO trade_events (trade_id, status, prev_status, occurred_at, payload, delivery, attempts, delivered_at)
		VALUES ($1, 'sending', 'processing', $2, '{}', 'delivered', $3, $4)`
	_, err = conn.Exec(t.Context(), "ALTER TABLE trade_events DROP CONSTRAINT trade_events_trade_id_fkey")
	require.NoError(t, err)
	for _, delivery := range []struct {
		attempts      int
		made, arrived time.Duration
	}{
		{1, -time.Hour, -time.Minute}, // before
		{1, -time.Hour, 20 * time.Second},
		{1, 5 * time.Minute, 5*time.Minute + 3*time.Second}, // it happened later
		{2, -time.Hour, 2 * time.Minute},                    // its receiver refused it
	} {
		_, err := conn.Exec(t.Context(), event, "a", returned.Add(delivery.made), delivery.attempts, returned.Add(delivery.arrived))
		require.NoError(t, err)
	}
	require.NoError(t, conn.Close(t.Context()))
	var took time.Duration
	require.NoError(t, fixture.Try(func() { took = w.deliveryTook(t.Context(), returned) }))
	require.Equal(t, 20*time.Second, took)
}

func TestAnAddressOfTwoOwnersIsAFault(t *testing.T) {
	t.Parallel()
	c := &counter{addresses: owners{}}
	c.give("a", "ch_1")
	c.give("a", "ch_1")
	require.Empty(t, c.faults)
	c.give("a", "trade")
	require.Len(t, c.faults, 1)
	require.Equal(t, fixture.AddressTwice, c.faults[0].Kind)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-minutes", "0.5", "-seed", "9"})
	require.NoError(t, err)
	require.Equal(t, options{minutes: 0.5, seed: 9, quiet: 20 * time.Minute}, o)
	for _, wrong := range [][]string{{"-minutes", "0"}, {"-minutes", "-1"}, {"-seed", "x"}, {"more"}} {
		_, err := parse(wrong)
		require.Error(t, err, "%v", wrong)
	}
}

func TestAnOutageIsReadFromTheCommandLine(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-minutes", "14", "-away", "postgres,temporal=10m"})
	require.NoError(t, err)
	require.Equal(t, outage{
		{kind: killed, on: "postgres", lasts: 10 * time.Minute}, {kind: killed, on: "temporal", lasts: 10 * time.Minute},
	}, o.away)
	for _, wrong := range []string{"postgres", "=10m", "postgres=", "postgres=0s", "postgres=ten", "nothing=10m", "postgres=14m"} {
		_, err := parse([]string{"-minutes", "14", "-away", wrong})
		require.Error(t, err, wrong)
	}
}
