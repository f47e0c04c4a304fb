package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/telemetry"
)

// staleWatch is how late a scan may be before its chain counts as not watched.
const staleWatch = 30 * time.Second

// isWatched reports whether a chain was scanned, or a balance read, within the last poll's pause and staleWatch.
func (b *base) isWatched(scanned *time.Time) bool {
	return scanned != nil && clock().Sub(*scanned) <= b.cfg.WatchInterval+staleWatch
}

// readiness checks every part that requests need. It judges wallets by the rows that their
// watchers have written, so a probe sends no request to wallet processes. Wallets of the
// sandbox do not affect the result, because the sandbox's chain may be unavailable for days
// while live money works.
func (b *base) readiness() (*telemetry.Readiness, error) {
	wallets, err := b.cfg.MerchantWallets()
	if err != nil {
		return nil, err
	}
	live, sandbox := config.OfMode(wallets, config.Live), config.OfMode(wallets, config.Sandbox)
	ready := b.needs(b.prices.Ready, live).Informational("fork", b.knowsForks)
	if len(sandbox) > 0 {
		ready.Informational("sandbox", func(ctx context.Context) error {
			return errors.Join(b.noneInSafeMode(ctx, sandbox), b.eachUsable(ctx, sandbox))
		})
	}
	return ready, nil
}

// needs checks the parts that requests need, with the wallets of these IDs.
func (b *base) needs(price telemetry.Check, wallets []string) *telemetry.Readiness {
	return telemetry.NewReadiness(map[string]telemetry.Check{
		"postgres": b.store.Ping,
		"temporal": func(ctx context.Context) error {
			_, err := b.temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		},
		"price":     price,
		"safe_mode": func(ctx context.Context) error { return b.noneInSafeMode(ctx, wallets) },
		"wallet":    func(ctx context.Context) error { return b.eachUsable(ctx, wallets) },
	}, clock, b.log).Mention("proxy", b.proxy.Up)
}

// knowsForks returns an error while a fork is announced that the daemon does not support.
// Until the fork everything works.
func (b *base) knowsForks(ctx context.Context) error {
	rows, err := b.store.CountOpenAlerts(ctx)
	for _, r := range rows {
		if r.Kind == alert.NetworkFork {
			return errors.New("the network is to change to a version that the daemon does not know")
		}
	}
	return err
}

func (b *base) eachUsable(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := b.walletUsable(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// watchProxy returns the check of the SOCKS5 proxy. No service waits for the proxy: requests
// that do not need it work without it.
func (b *base) watchProxy() *outbound.Watch {
	w := &outbound.Watch{Address: b.cfg.SOCKS5Proxy, Log: b.log}
	if b.cfg.SOCKS5Proxy != "" {
		w.Probed = b.metrics.ProxyUp
	}
	return w
}

// walletUsable returns an error for a wallet that is on another network, whose chain was not scanned
// lately, or that has no free address. A wallet of the exchange also needs its balance, because quotes go by it.
func (b *base) walletUsable(ctx context.Context, id string) error {
	wrong, err := b.store.HasAlert(ctx, db.HasAlertParams{Kind: alert.WrongChain, Subject: id})
	if err != nil {
		return err
	}
	if wrong {
		return fmt.Errorf("the daemon of wallet %s is on another network than the wallet", id)
	}
	wallet, err := b.store.GetWallet(ctx, id)
	if err != nil {
		return err
	}
	scanned, err := b.store.GetChain(ctx, wallet.ChainID)
	if err != nil {
		return err
	}
	if !b.isWatched(scanned.ScannedAt) {
		return fmt.Errorf("chain %s of wallet %s is not being scanned", scanned.ID, id)
	}
	if wallet.Role == exchange.WalletRole && !b.isWatched(wallet.BalanceCurrentAt) {
		return fmt.Errorf("the balance of wallet %s is not known", id)
	}
	free, err := b.store.FreeAddresses(ctx, db.FreeAddressesParams{WalletID: id, Limit: 1})
	if err == nil && free == 0 {
		err = fmt.Errorf("wallet %s has no unused address ready", id)
	}
	return err
}

// measure adds the metrics that are counted in the database.
func (b *base) measure(exchange bool) {
	var kinds []string
	for _, kind := range outbox.Kinds() {
		kinds = append(kinds, string(kind))
	}
	m, q := b.metrics, b.store
	m.Charges(counts(q.CountPendingCharges, func(r db.CountPendingChargesRow) (string, int64) { return r.Mode, r.Charges },
		string(config.Live), string(config.Sandbox)))
	m.Alerts(counts(q.CountOpenAlerts, func(r db.CountOpenAlertsRow) (string, int64) { return r.Kind, r.Count }))
	m.Wakeups(counts(q.CountWakeups, func(r db.CountWakeupsRow) (string, int64) { return r.Kind, r.Count }, kinds...))
	m.AddressesHandedOut(counts(q.AddressesHandedOut, func(r db.AddressesHandedOutRow) (string, int64) { return r.WalletID, r.LeaseTo }))
	m.BusinessNotices(counts(q.CountWaitingByFrequency, func(r db.CountWaitingByFrequencyRow) (string, int64) { return r.Frequency, r.Notices },
		string(notice.AtOnce), string(notice.Daily)))
	m.Backups(func(ctx context.Context) (map[string]int64, error) {
		last, err := q.LastBackup(ctx)
		if len(last) == 0 {
			return nil, err
		}
		return map[string]int64{"durapay": last[0].Unix()}, err
	})
	if exchange {
		m.Trades(counts(q.CountTradesByStatus, func(r db.CountTradesByStatusRow) (string, int64) { return r.Status, r.Count }))
		m.Inventory(b.holdings)
	}
}

// counts returns the counts of a query, and 0 for the labels that are always shown.
func counts[R any](query func(context.Context) ([]R, error), of func(R) (label string, n int64), always ...string) telemetry.Count {
	return func(ctx context.Context) (map[string]int64, error) {
		rows, err := query(ctx)
		all := map[string]int64{}
		for _, label := range always {
			all[label] = 0
		}
		for _, r := range rows {
			label, n := of(r)
			all[label] = n
		}
		return all, err
	}
}

func (b *base) holdings(ctx context.Context) (telemetry.Holdings, error) {
	rows, err := b.store.ExchangeHoldings(ctx)
	held := telemetry.Holdings{}
	for _, r := range rows {
		held[r.ID] = map[string]money.Decimal{"total": r.Total, "unlocked": r.Unlocked, "reserved": r.Reserved, "unfunded": r.Unfunded}
	}
	return held, err
}
