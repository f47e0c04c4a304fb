package scan

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
	"github.com/durapay/durapay/internal/monero"
)

// used returns the processor time of this process. On a busy machine it says more than the time
// on the clock.
func used(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkWallets examines a transaction with two outputs that pays none of the wallets. It
// reports processor time, and the memory of each transaction that is kept.
func BenchmarkWallets(b *testing.B) {
	all := newShops(b, 1000)
	m := payment(numbered("one"), 1, monero.UnspendableAddress(monero.Mainnet), monero.UnspendableAddress(monero.Mainnet))
	for _, count := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			var list []examined
			before, begun := heap(), used(b)
			for b.Loop() {
				m.unlock++
				m.extra = extraOf(base(numbered(fmt.Sprint(m.unlock))))
				tx, err := ParseTx(m.whole())
				require.NoError(b, err)
				list = append(list, examined{tx: tx}.with(all.list[:count]))
			}
			b.ReportMetric(float64((used(b)-begun).Microseconds())/float64(b.N), "cpu-µs/tx")
			b.ReportMetric(float64(heap()-before)/float64(b.N), "B-kept/tx")
			runtime.KeepAlive(list)
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkBlocks scans 100 blocks of a private chain, which have a reward each and nothing else.
// A block of the main chain has some forty transactions.
func BenchmarkBlocks(b *testing.B) {
	url := startDaemon(b)
	daemon := monero.NewDaemon(monero.Endpoint{URL: url}, jsonrpc.Options{CallTimeout: maxWait, LongTimeout: maxWait})
	all := newShops(b, 1000)
	_, err := daemon.GenerateBlocks(b.Context(), all.list[0].View.Subaddress(0, 0), pageBlocks)
	require.NoError(b, err)
	for _, count := range []int{1, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			s := &shops{list: all.list[:count], known: all.known, recorded: map[string]int{}}
			begun := used(b)
			for b.Loop() {
				_, err := NewScanner(daemon, s.wallets, s.lookup, s.record).Blocks(b.Context(), 1, pageBlocks)
				require.NoError(b, err)
			}
			b.ReportMetric((used(b)-begun).Seconds()*1000/pageBlocks/float64(b.N), "cpu-s/1000blocks")
			b.ReportMetric(b.Elapsed().Seconds()*1000/pageBlocks/float64(b.N), "s/1000blocks")
		})
	}
}
