package wakeup

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/postgres/db"
)

// CheckFork keeps an alert open while Monero's network is to change to a version that the
// daemon does not know: whoever stays behind sees no more payments. Run twice, the second run
// finds the same alert.
func (a *Handler) CheckFork(ctx context.Context) error {
	if a.Daemon == nil {
		return nil
	}
	fork, err := a.Daemon.Fork(ctx)
	if err != nil {
		return err
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return err
	}
	top := info.Height - min(info.Height, 1)
	votes, err := a.Daemon.Votes(ctx, top-min(top, coin.VoteBlocks-1), top)
	if err != nil {
		return err
	}
	news, ok := coin.MoneroForkNews(fork.Knows, info.Height, votes, a.Forks)
	a.ForkDays(news.Days, ok && news.Fixed)
	if !ok {
		return a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.NetworkFork, Subject: alert.ForkSubject})
	}
	when := "nobody has told this release when"
	if news.Fixed {
		when = fmt.Sprintf("in about %d days", news.Days)
	}
	return a.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: alert.NetworkFork, Subject: alert.ForkSubject,
		Detail: fmt.Sprintf("version %d, %s; the daemon knows %d; %d of the last %d blocks are of makers who know a newer one",
			news.Version, when, fork.Knows, news.Votes, coin.VoteBlocks),
	})
}
