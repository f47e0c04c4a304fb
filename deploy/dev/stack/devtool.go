package stack

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/utxo"
)

// miner adds a block every DEV_BLOCK_SECONDS, or none if that is 0.
func miner() part {
	return part{
		name:     "miner",
		needs:    []string{"wallet-customer"},
		disabled: func(s *Stack) bool { return s.blockSeconds() == "0" },
		prepare:  prepareTool,
		command: func(s *Stack) (command, error) {
			path, err := s.devTool(context.Background())
			return command{
				path: path,
				args: []string{
					"mine", "-daemon", s.url("monerod"),
					"-address", s.walletAddress("customer"), "-every", s.blockSeconds() + "s",
				},
			}, err
		},
	}
}

// prepareTool builds the command that has some parts as subcommands, once.
func prepareTool(ctx context.Context, s *Stack) error {
	_, err := s.devTool(ctx)
	return err
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

// mailSink receives the mails of the services and shows them.
func mailSink() part {
	return part{
		name:    "mail",
		ports:   []port{{"smtp", 1025}, {"mail", 8025}},
		prepare: prepareTool,
		command: func(s *Stack) (command, error) {
			path, err := s.devTool(context.Background())
			return command{path: path, args: []string{"mail", "-smtp", s.Addr("smtp"), "-http", s.Addr("mail")}}, err
		},
		ready: func(ctx context.Context, s *Stack) error {
			if err := dial(ctx, s.Addr("smtp")); err != nil {
				return err
			}
			return ok(ctx, s.url("mail")+"/messages")
		},
		env: func(s *Stack) map[string]string {
			return map[string]string{"MAIL_URL": s.url("mail")}
		},
	}
}
