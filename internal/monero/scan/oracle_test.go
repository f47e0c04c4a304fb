package scan

import (
	"cmp"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/monero"
)

// owned is an output as the wallet and we list it.
type owned struct {
	Key, TxHash string
	Index       uint32
	Amount      uint64
	Height      uint64
}

// paid is a payment as the wallet and we list it. The wallet gives pool payments the time
// at which it saw them.
type paid struct {
	TxHash          string
	Index           uint32
	Amounts         []uint64
	Amount          uint64
	Height, Unlocks uint64
	Time            int64
}

// shownOutputs are the outputs that the wallet shows.
func (c *chain) shownOutputs(t *testing.T) []owned {
	t.Helper()
	var out struct {
		Transfers []struct {
			Key    string `json:"pubkey"`
			TxHash string `json:"tx_hash"`
			Amount uint64 `json:"amount"`
			Height uint64 `json:"block_height"`
			At     struct {
				Index uint32 `json:"minor"`
			} `json:"subaddr_index"`
		} `json:"transfers"`
	}
	call(t, c.oracle, "incoming_transfers", map[string]any{"transfer_type": "all", "account_index": 0}, &out)
	var list []owned
	for _, o := range out.Transfers {
		list = append(list, owned{o.Key, o.TxHash, o.At.Index, o.Amount, o.Height})
	}
	return sortedOutputs(list)
}

func sortedOutputs(list []owned) []owned {
	slices.SortFunc(list, func(a, b owned) int { return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.Key, b.Key)) })
	return list
}

// foundOutputs are the outputs that we found. Of outputs with the same key the first of the
// greatest counts.
func (c *chain) foundOutputs() []owned {
	at, list := map[Key]int{}, []owned(nil)
	for _, block := range c.scanned {
		for _, o := range block.Outputs {
			one := owned{hex.EncodeToString(o.OneTimeKey[:]), o.TxHash.String(), o.To.Index, uint64(o.Amount), block.Height}
			i, again := at[o.OneTimeKey]
			switch {
			case !again:
				at[o.OneTimeKey], list = len(list), append(list, one)
			case list[i].Amount < one.Amount:
				list[i] = one
			}
		}
	}
	return sortedOutputs(list)
}

// shownPayments are the payments that the wallet shows.
func (c *chain) shownPayments(t *testing.T, pool bool) []paid {
	t.Helper()
	type entry struct {
		TxHash  string   `json:"txid"`
		Amount  uint64   `json:"amount"`
		Amounts []uint64 `json:"amounts"`
		Height  uint64   `json:"height"`
		Unlocks uint64   `json:"unlock_time"`
		Time    int64    `json:"timestamp"`
		At      struct {
			Index uint32 `json:"minor"`
		} `json:"subaddr_index"`
	}
	var out struct{ In, Pool []entry }
	call(t, c.oracle, "get_transfers", map[string]any{"in": !pool, "pool": pool, "account_index": 0}, &out)
	var list []paid
	for _, e := range append(out.In, out.Pool...) {
		if pool {
			e.Time = 0
		}
		list = append(list, paid{e.TxHash, e.At.Index, e.Amounts, e.Amount, e.Height, e.Unlocks, e.Time})
	}
	return sortedPayments(list)
}

func sortedPayments(list []paid) []paid {
	for _, p := range list {
		slices.Sort(p.Amounts)
	}
	slices.SortFunc(list, func(a, b paid) int {
		return cmp.Or(cmp.Compare(a.Height, b.Height), cmp.Compare(a.TxHash, b.TxHash), cmp.Compare(a.Index, b.Index))
	})
	return list
}

func foundPayments(list []Payment) (found []paid) {
	for _, p := range list {
		one := paid{TxHash: p.TxHash, Index: p.SubaddressIndex, Amount: uint64(p.Amount), Height: p.Height, Unlocks: p.UnlockTime}
		for _, amount := range p.Amounts {
			one.Amounts = append(one.Amounts, uint64(amount))
		}
		if p.Height > 0 {
			one.Time = p.Timestamp.Unix()
		}
		found = append(found, one)
	}
	return sortedPayments(found)
}

// compare requires that the wallet and we have found the same outputs and payments.
func (c *chain) compare(t *testing.T) {
	t.Helper()
	c.catchUp(t, c.oracle)
	c.follow(t)
	require.Equal(t, c.shownOutputs(t), c.foundOutputs())
	list, err := c.scanner.Payments(t.Context(), monero.Range{From: 0, To: uint64(len(c.scanned) - 1)})
	require.NoError(t, err)
	require.Equal(t, c.shownPayments(t, false), foundPayments(list))
}

// comparePool requires that the wallet and we have found the same payments in the pool.
func (c *chain) comparePool(t *testing.T) {
	t.Helper()
	c.catchUp(t, c.oracle)
	list, err := c.scanner.Payments(t.Context(), monero.Range{From: 1, To: 0, Pool: true})
	require.NoError(t, err)
	require.Equal(t, c.shownPayments(t, true), foundPayments(list))
}
