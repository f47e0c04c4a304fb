package main

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"
)

// Results of `make bench engine=server` in November 2026, on a machine with two processors
// that other work shared.
const (
	// createdPerSecond are charges made by 32 clients (row charges).
	createdPerSecond = 69.5
	// deliveredPerSecond are webhook deliveries with their charges.
	deliveredPerSecond = 30.7
	// Disk space of a new charge in bytes: its rows, its workflow, and the workflow's search
	// entries.
	chargeRowBytes, chargeHistoryBytes, chargeVisibilityBytes = 2_800, 9_700, 30_000
	// walletPayments is the largest number of payments of a measured wallet.
	walletPayments = 1_000_000
)

// Assumptions and choices.
const (
	// baseline is the number of charges a day at 1×.
	baseline = 1_000
	// peak is the load of the busiest hour as a multiple of the mean.
	peak = 3
	// events is the number of events of a charge, each with one receiver: created, pending,
	// confirmed.
	events = 3
	// advances is the number of steps of a charge after its creation. Each costs as much as
	// the creation.
	advances = 2
	// busy is the share of a machine's capacity that the peak may use.
	busy = 0.5
	// cellMachines is the load for one PostgreSQL and one Temporal cluster, in machines with
	// two processors.
	cellMachines = 16
	// shardUpdates is the load for a history shard in workflow updates a second.
	// updatesPerCharge is the number of updates of a charge with its deliveries.
	shardUpdates, updatesPerCharge = 5, 40
	// composeShards is the number of shards in docker-compose.yml.
	composeShards = 512
	// walletLife is how long a wallet accepts new merchants.
	walletLife = 365 * day
	// rowsKept and historyKept are PRUNE_PHASE2_DAYS and NAMESPACE_RETENTION.
	rowsKept, historyKept = 30, 7
	// chainPerDay is the capacity of all of Monero: transactions of 1,500 bytes in blocks
	// without a penalty, which have 300,000 bytes every two minutes.
	chainPerDay = 720 * 300_000 / 1_500

	day = 24 * time.Hour
)

// plan holds the resources that an amount of charges needs.
type plan struct {
	// times is the multiple of baseline; charges is the number of charges a day.
	times, charges int
	// perSecond is the number of charges a second in the busiest hour.
	perSecond float64
	// machines of two processors run Durapay, Temporal and PostgreSQL together.
	machines, cells, wallets, shards int
	// rows and histories are gigabytes (10^9 bytes) on the disks of all cells.
	rows, histories float64
	// chain is the share of the space in all blocks without a penalty.
	chain float64
}

// work returns how long a charge keeps a machine busy from its creation to the last delivery,
// in seconds.
func work() float64 { return (1+advances)/createdPerSecond + events/deliveredPerSecond }

func planFor(times int) plan {
	p := plan{times: times, charges: times * baseline}
	perDay := float64(p.charges)
	p.perSecond = perDay * peak / day.Seconds()
	p.machines = atLeastOne(p.perSecond * work() / busy)
	p.cells = atLeastOne(float64(p.machines) / cellMachines)
	p.wallets = max(p.cells, atLeastOne(perDay*walletLife.Hours()/day.Hours()/walletPayments))
	p.shards = shards(p.perSecond / float64(p.cells))
	p.rows = perDay * rowsKept * chargeRowBytes / 1e9
	p.histories = perDay * historyKept * (chargeHistoryBytes + chargeVisibilityBytes) / 1e9
	p.chain = perDay / chainPerDay
	return p
}

// shards returns the number of shards for a cell with this many charges a second: a power of
// two, and at least as many as in docker-compose.yml.
func shards(perSecond float64) int {
	wanted := atLeastOne(perSecond * updatesPerCharge / shardUpdates)
	return max(composeShards, 1<<bits.Len(uint(wanted-1)))
}

func atLeastOne(v float64) int { return max(1, int(math.Ceil(v))) }

// table returns the plans in Markdown.
func table(plans ...plan) string {
	var b strings.Builder
	b.WriteString("| load | charges a day | a second, at the peak | machines of 2 processors | cells | live wallets | history shards a cell | rows | histories | of Monero's blocks |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, p := range plans {
		fmt.Fprintf(&b, "| %s× | %s | %.2f | %s | %s | %s | %s | %.1f GB | %.1f GB | %.1f %% |\n",
			grouped(p.times), grouped(p.charges), p.perSecond, grouped(p.machines), grouped(p.cells), grouped(p.wallets),
			grouped(p.shards), p.rows, p.histories, 100*p.chain)
	}
	return b.String()
}

// grouped writes 10000 as 10,000.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
