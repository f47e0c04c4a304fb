package stack

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

// toolPart declares a part that is a subcommand of the stack's own command.
func toolPart(name string, c func(*Stack) command) part {
	return part{
		name: name,
		prepare: func(ctx context.Context, s *Stack) error {
			_, err := s.devTool(ctx)
			return err
		},
		command: func(s *Stack) (tool command, err error) {
			tool = c(s)
			tool.path, err = s.devTool(context.Background())
			return tool, err
		},
	}
}

// miner adds a block every DEV_BLOCK_SECONDS, or none if that is 0.
func miner() part {
	p := toolPart("miner", func(s *Stack) command {
		return command{args: []string{
			"mine", "-daemon", s.url("monerod"), "-address", s.walletAddress("customer"), "-every", s.blockSeconds() + "s",
		}}
	})
	p.needs = []string{"wallet-customer"}
	p.disabled = func(s *Stack) bool { return s.blockSeconds() == "0" }
	return p
}

// litecoinMiner adds a block to the Litecoin chain every DEV_BLOCK_SECONDS, or none if that is
// 0, and writes the chain to the disk.
func litecoinMiner() part {
	p := toolPart("litecoin-miner", func(s *Stack) command {
		return command{
			args: []string{"keep-litecoin", "-every", s.blockSeconds() + "s", "-address", s.secret("litecoin-rewards-address")},
			env:  map[string]string{"LITECOIN_RPC_URL": s.LitecoinURL(litecoinRewards)},
		}
	})
	p.needs = []string{"litecoind"}
	return p
}

// mailSink receives the mails of the services and shows them.
func mailSink() part {
	p := toolPart("mail", func(s *Stack) command {
		return command{args: []string{"mail", "-smtp", s.Addr("smtp"), "-http", s.Addr("mail")}}
	})
	p.ports = []port{{"smtp", 1025}, {"mail", 8025}}
	p.ready = func(ctx context.Context, s *Stack) error {
		if err := dial(ctx, s.Addr("smtp")); err != nil {
			return err
		}
		return ok(ctx, s.url("mail")+"/messages")
	}
	return p
}

// blockSeconds returns the interval between two blocks. Private stacks mine on demand.
func (s *Stack) blockSeconds() string {
	if s.options.Private {
		return s.setting("DEV_BLOCK_SECONDS", "0")
	}
	return s.setting("DEV_BLOCK_SECONDS", "10")
}

// KeepMining adds a block at every interval until the context ends. If a block could not be
// mined, for example while the daemon restarts, the error is passed to failed and the block is
// skipped.
func KeepMining(ctx context.Context, daemon, address string, every time.Duration, failed func(error)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := Mine(ctx, daemon, address, 1); err != nil && ctx.Err() == nil {
				failed(err)
			}
		}
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
