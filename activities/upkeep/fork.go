package upkeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres/db"
)

// CheckFork keeps an alert open while Monero's network is about to change to a version
// that the daemon does not know: a daemon that stays behind sees no more payments. A
// second run finds the same alert.
func (a *Overdue) CheckFork(ctx context.Context) error {
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
	announced := a.Forks
	if info.NetType != monero.MainnetChain { // heights are known for the main network only
		announced = nil
	}
	news, ok := coin.MoneroForkNews(fork.Knows, info.Height, votes, announced)
	a.ForkDays(news.Days, news.Height > 0)
	kept := []string{}
	if ok {
		told := alertFork(news, fork.Knows)
		kept, err = append(kept, told.Subject), a.Store.OpenAlert(ctx, told)
	}
	return errors.Join(err, a.Store.ResolveAlertsBesides(ctx, db.ResolveAlertsBesidesParams{Kind: alert.NetworkFork, Subjects: kept}))
}

func alertFork(news coin.ForkNews, knows int) db.OpenAlertParams {
	subject, when := fmt.Sprintf("version %d", news.Version), "nobody has told this release when it comes"
	if news.Height > 0 {
		when = fmt.Sprintf("it comes at block %d", news.Height)
		subject += fmt.Sprintf(" at block %d", news.Height)
	}
	return db.OpenAlertParams{
		Kind: alert.NetworkFork, Subject: subject,
		Detail: fmt.Sprintf("%s; the daemon knows version %d; %d of the last %d blocks are of makers who know a newer one", when, knows, news.Votes, coin.VoteBlocks),
	}
}
