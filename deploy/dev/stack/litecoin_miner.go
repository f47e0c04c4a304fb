package stack

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

// litecoinMiner adds a block to the Litecoin chain every DEV_BLOCK_SECONDS, or none if that is
// 0, and writes the chain to the disk.
func litecoinMiner() part {
	return part{
		name:    "litecoin-miner",
		needs:   []string{"litecoind"},
		prepare: prepareTool,
		command: func(s *Stack) (command, error) {
			path, err := s.devTool(context.Background())
			if err != nil {
				return command{}, err
			}
			url, err := s.LitecoinURL(litecoinRewards)
			return command{
				path: path,
				args: []string{
					"keep-litecoin", "-every", s.blockSeconds() + "s",
					"-address", s.readSecret("litecoin-rewards-address"),
				},
				env: map[string]string{"LITECOIN_RPC_URL": url},
			}, err
		},
	}
}

// flushPause is the maximum time that a block may be only in memory.
const flushPause = 200 * time.Millisecond

// KeepLitecoin mines at every interval, if that is positive, until the context ends. It also
// writes each block to the disk, including blocks that other parts mined. An error, for
// example while the daemon restarts, is passed to failed or ignored, and the step is repeated
// later.
func KeepLitecoin(
	ctx context.Context, daemon *utxo.Client, address string, every time.Duration, failed func(error),
) {
	ticker := time.NewTicker(flushPause)
	defer ticker.Stop()
	last, written := time.Now(), ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if every > 0 && time.Since(last) >= every {
			last = time.Now()
			if _, err := daemon.Generate(ctx, address, 1); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
		if info, err := daemon.Info(ctx); err == nil && info.BestHash != written && daemon.Flush(ctx) == nil {
			written = info.BestHash
		}
	}
}
