package cursor_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/cursor"
)

func deposit(hash string, height, tip uint64) chain.Deposit {
	d := chain.Deposit{TxHash: hash, Address: "a", Amount: 5, Height: height, Seen: time.Unix(1, 0).UTC()}
	if height > 0 {
		d.Confirmations = tip - height + 1
	}
	return d
}

func TestNextTellsWhatChanged(t *testing.T) {
	t.Parallel()
	contested := deposit("x", 0, 10)
	contested.Contested = true
	locked := deposit("x", 9, 69)
	locked.Locked = true
	vanished := deposit("x", 9, 10)
	vanished.Gone = true
	for name, c := range map[string]struct {
		tip          uint64
		before, now  []chain.Deposit
		changed      []chain.Deposit
		stillOpenNow int
	}{
		"new":                  {10, nil, []chain.Deposit{deposit("x", 0, 10)}, []chain.Deposit{deposit("x", 0, 10)}, 1},
		"the same":             {10, []chain.Deposit{deposit("x", 9, 10)}, []chain.Deposit{deposit("x", 9, 10)}, nil, 1},
		"mined":                {10, []chain.Deposit{deposit("x", 0, 9)}, []chain.Deposit{deposit("x", 10, 10)}, []chain.Deposit{deposit("x", 10, 10)}, 1},
		"deeper":               {11, []chain.Deposit{deposit("x", 9, 10)}, []chain.Deposit{deposit("x", 9, 11)}, []chain.Deposit{deposit("x", 9, 11)}, 1},
		"contested":            {10, []chain.Deposit{deposit("x", 0, 10)}, []chain.Deposit{contested}, []chain.Deposit{contested}, 1},
		"gone":                 {10, []chain.Deposit{deposit("x", 9, 10)}, nil, []chain.Deposit{vanished}, 0},
		"last time":            {69, []chain.Deposit{deposit("x", 9, 68)}, []chain.Deposit{deposit("x", 9, 69)}, []chain.Deposit{deposit("x", 9, 69)}, 0},
		"locked, however deep": {69, []chain.Deposit{deposit("x", 9, 68)}, []chain.Deposit{locked}, []chain.Deposit{locked}, 1},
		"unlocked at last":     {69, []chain.Deposit{locked}, []chain.Deposit{deposit("x", 9, 69)}, []chain.Deposit{deposit("x", 9, 69)}, 0},
		"gone comes first":     {10, []chain.Deposit{deposit("x", 9, 10)}, []chain.Deposit{deposit("p", 0, 10), deposit("m", 10, 10)}, []chain.Deposit{vanished, deposit("m", 10, 10), deposit("p", 0, 10)}, 2},
	} {
		changed, next := cursor.Memory{Height: 9, Open: c.before}.Next("here", c.tip, c.now)
		require.Equal(t, c.changed, changed, name)
		require.Len(t, next.Open, c.stillOpenNow, name)
		require.Equal(t, "here", next.From)
		require.Equal(t, c.tip, next.Height)
	}
}

func TestCursorsAreTexts(t *testing.T) {
	t.Parallel()
	empty, err := cursor.Parse("")
	require.NoError(t, err)
	require.Zero(t, empty)
	_, err = cursor.Parse("here")
	require.Error(t, err)

	withOrigins := deposit("x", 5, 9)
	withOrigins.Origins = []string{"somebody"}
	_, memory := empty.Next("5", 9, []chain.Deposit{withOrigins})
	text, err := memory.Text()
	require.NoError(t, err)
	require.NotContains(t, string(text), "somebody")
	back, err := cursor.Parse(text)
	require.NoError(t, err)
	require.Equal(t, memory, back)
	require.NoError(t, back.CheckTip(9))
	require.ErrorIs(t, back.CheckTip(8), chain.ErrLagging)
}

// Whoever keeps what was told knows what there is: after any history, told
// through cursors that went through their text.
func TestWhatIsToldAddsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := map[string]chain.Deposit{}
		text, tip := chain.Cursor(""), uint64(10)
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			tip += rapid.Uint64Range(0, 3).Draw(t, "blocks")
			now := map[string]chain.Deposit{}
			var list []chain.Deposit
			for i := range 4 {
				if place := rapid.IntRange(-1, 5).Draw(t, "place"); place >= 0 {
					hash := fmt.Sprint(i)
					d := deposit(hash, 0, tip)
					if place > 0 {
						d = deposit(hash, tip-uint64(place), tip)
					}
					now[hash] = d
					list = append(list, d)
				}
			}
			memory, err := cursor.Parse(text)
			require.NoError(t, err)
			changed, next := memory.Next("", tip, list)
			for _, d := range changed {
				if d.Gone {
					require.Contains(t, known, d.TxHash)
					delete(known, d.TxHash)
				} else {
					known[d.TxHash] = d
				}
			}
			require.Equal(t, now, known)
			text, err = next.Text()
			require.NoError(t, err)
		}
	})
}
