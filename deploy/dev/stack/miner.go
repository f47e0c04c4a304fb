package stack

import (
	"context"
	"time"
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
