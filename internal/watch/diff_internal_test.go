package watch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
)

func at(height uint64) Place { return Place{Height: &height} }

// TestDiff has a line for each possible change of a payment: its stored place, the
// wallet's view, the daemon's answer, and the expected result as seen from a tip
// at height 100.
func TestDiff(t *testing.T) {
	t.Parallel()
	const tip = 100
	pool, nowhere, contested := Place{}, Place{Dropped: true}, Place{Contested: true}
	mined := func(height uint64) chain.Location { return chain.Location{State: chain.Mined, Height: height} }
	received := func(height uint64) *chain.Received {
		return &chain.Received{TxHash: "t", Address: "a", Amount: 1, Height: height}
	}
	inPool, unknown := chain.Location{State: chain.InPool}, chain.Location{}
	disputed, locked := received(0), received(50)
	disputed.Contested, locked.UnlockHeight = true, 200
	for name, c := range map[string]struct {
		stored  *Place
		shown   *chain.Received
		located chain.Location
		// fresh and moved are the expected places; nil if none is expected.
		fresh, moved *Place
		relocked     bool
	}{
		"new in the pool":                            {nil, received(0), inPool, &pool, nil, false},
		"new in a block":                             {nil, received(50), mined(50), new(at(50)), nil, false},
		"new in the tip":                             {nil, received(100), mined(100), new(at(100)), nil, false},
		"new above the tip":                          {nil, received(101), mined(101), &pool, nil, false},
		"new, the wallet at an old height":           {nil, received(40), mined(50), new(at(50)), nil, false},
		"new, the wallet in a block, daemon in pool": {nil, received(40), inPool, &pool, nil, false},
		"new, unknown to the daemon":                 {nil, received(0), unknown, nil, nil, false},
		"new and contested":                          {nil, disputed, inPool, &contested, nil, false},
		"new and contested, in a block":              {nil, disputed, mined(50), new(at(50)), nil, false},
		"at rest in the pool":                        {&pool, received(0), inPool, nil, nil, false},
		"at rest in a block":                         {new(at(50)), received(50), mined(50), nil, nil, false},
		"in a block, hidden by the wallet":           {new(at(50)), nil, mined(50), nil, nil, false},
		"in the pool, hidden by the wallet":          {&pool, nil, inPool, nil, nil, false},
		"mined":                                      {&pool, received(50), mined(50), nil, new(at(50)), false},
		"mined, hidden by the wallet":                {&pool, nil, mined(50), nil, new(at(50)), false},
		"mined above the tip":                        {&pool, nil, mined(101), nil, nil, false},
		"back in the pool, shown at its height":      {new(at(50)), received(50), inPool, nil, &pool, false},
		"back in the pool, hidden":                   {new(at(50)), nil, inPool, nil, &pool, false},
		"in another block":                           {new(at(50)), received(50), mined(51), nil, new(at(51)), false},
		"moved above the tip":                        {new(at(50)), nil, mined(101), nil, &pool, false},
		"dropped from the pool":                      {&pool, nil, unknown, nil, &nowhere, false},
		"dropped, though the wallet shows it":        {&pool, received(0), unknown, nil, &nowhere, false},
		"dropped from a block":                       {new(at(50)), nil, unknown, nil, &nowhere, false},
		"still dropped":                              {&nowhere, nil, unknown, nil, nil, false},
		"sent again, hidden":                         {&nowhere, nil, inPool, nil, &pool, false},
		"sent again and mined":                       {&nowhere, nil, mined(50), nil, new(at(50)), false},
		"contested":                                  {&pool, disputed, inPool, nil, &contested, false},
		"contested, says the daemon":                 {&pool, received(0), chain.Location{State: chain.InPool, Contested: true}, nil, &contested, false},
		"contested no more":                          {&contested, received(0), inPool, nil, &pool, false},
		"a lock that was not known":                  {new(at(50)), locked, mined(50), nil, new(at(50)), true},
	} {
		key := Key{"t", "a"}
		seen, rows := shown{}, map[Key]Row{}
		if c.shown != nil {
			seen[key] = *c.shown
		}
		if c.stored != nil {
			rows[key] = Row{ID: 7, TxHash: "t", Address: "a", Amount: 1, Place: *c.stored}
		}
		ask, _ := round{on: true}.choose(seen, rows, nil)
		require.Equal(t, []string{"t"}, ask, name)
		changes := diff(seen, rows, map[string]chain.Location{"t": c.located}, tip)
		var want Changes
		if c.fresh != nil {
			want.New = []Payment{{*c.shown, *c.fresh}}
		}
		if c.moved != nil {
			want.Moved = []Move{{rows[key], *c.moved}}
		}
		if c.relocked {
			want.Relocked = []chain.Received{*c.shown}
		}
		require.Equal(t, want, changes, name)
		require.Equal(t, c.fresh == nil && c.moved == nil, changes.Empty(), name)
	}
}

// TestCollectKeepsEachPaymentOnce prefers the block to the pool, and leaves out
// payments of nothing.
func TestCollectKeepsEachPaymentOnce(t *testing.T) {
	t.Parallel()
	one := func(height, amount uint64) chain.Received {
		return chain.Received{TxHash: "t", Address: "a", Amount: amount, Height: height}
	}
	require.Equal(t, shown{{"t", "a"}: one(5, 1)}, collect([]chain.Received{one(5, 1), one(0, 1)}))
	require.Equal(t, shown{{"t", "a"}: one(5, 1)}, collect([]chain.Received{one(0, 1), one(5, 1)}))
	require.Empty(t, collect([]chain.Received{one(0, 0)}))
	nothing := collect([]chain.Received{one(5, 0)})
	require.Len(t, nothing, 1, "a stored payment may have come to nothing in its block")
	mined := map[string]chain.Location{"t": {State: chain.Mined, Height: 5}}
	require.True(t, diff(nothing, nil, mined, 5).Empty(), "what is not stored is no payment")
	height := uint64(5)
	stored := map[Key]Row{{"t", "a"}: {ID: 7, TxHash: "t", Address: "a", Amount: 1, Place: Place{Height: &height}}}
	require.Equal(t, []Revaluation{{stored[Key{"t", "a"}], 0}}, diff(nothing, stored, mined, 5).Revalued)
}

func TestLocksAreComparedByWhatTheySay(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	a := Lock{UnlockHeight: 1, UnlockAt: moment, SpendableAfter: 10}
	b := a
	b.UnlockAt = moment.In(time.FixedZone("elsewhere", 3600))
	require.True(t, a.same(b))
	b.UnlockAt = moment.Add(time.Second)
	require.False(t, a.same(b))
}
