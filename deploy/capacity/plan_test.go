package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDocumentHasTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/capacity.md")
	require.NoError(t, err)
	var plans []plan
	for _, n := range usual() {
		plans = append(plans, planFor(n))
	}
	require.Contains(t, string(text), table(plans...), "go run ./deploy/capacity writes it")
}

func TestPlansGrowWithTheLoad(t *testing.T) {
	t.Parallel()
	before := planFor(1)
	require.Equal(t, plan{
		times: 1, charges: 1000, perSecond: 3000.0 / 86400, machines: 1, cells: 1, wallets: 1, shards: 512,
		rows: 0.084, histories: 0.2779, chain: 1000.0 / 144_000,
	}, before)
	for _, n := range []int{2, 10, 99, 100, 1000, 10_000} {
		p := planFor(n)
		require.GreaterOrEqual(t, p.machines, before.machines)
		require.GreaterOrEqual(t, p.wallets, p.cells, "a cell has wallets of its own")
		require.LessOrEqual(t, p.machines, p.cells*cellMachines)
		require.LessOrEqual(t, p.perSecond*work(), float64(p.machines)*busy+1e-9, "the peak leaves room")
		require.LessOrEqual(t, p.perSecond/float64(p.cells)*updatesPerCharge, float64(p.shards*shardUpdates)+1e-9)
		require.Zero(t, p.shards&(p.shards-1))
		before = p
	}
}

func TestShardsAreAPowerOfTwo(t *testing.T) {
	t.Parallel()
	require.Equal(t, composeShards, shards(0.001))
	require.Equal(t, 512, shards(64))
	require.Equal(t, 1024, shards(64.1))
	require.Equal(t, 2048, shards(256))
}

func TestMultiplesAreChecked(t *testing.T) {
	t.Parallel()
	got, err := multiples([]string{"250"})
	require.NoError(t, err)
	require.Equal(t, []int{250}, got)
	for _, wrong := range []string{"0", "x", "-1", "1000001"} {
		_, err := multiples([]string{wrong})
		require.Error(t, err)
	}
	require.Equal(t, "10,000,000", grouped(10_000_000))
}
