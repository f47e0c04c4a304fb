package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/worker"
)

type recoverCmd struct {
	Wallet        string            `help:"Only this wallet; all by default."`
	Apply         bool              `help:"Do it. Without it everything is only shown."`
	AddressesUpTo int64             `placeholder:"N" help:"The highest index of an address that any copy of the database may have handed out, where recovering asks for it; with --wallet. Too many cost time, too few give one customer's address to another."`
	Paid          map[string]string `placeholder:"HASH=ANSWER" help:"What a transaction paid that nobody noted: \"merchant\", or the ID of a claim or refund that it paid beside its merchant."`
	AcceptUnknown []string          `placeholder:"HASH" help:"A transaction that is in order though nobody knows what it paid, such as a withdrawal by hand; \"all\" for every one."`
}

// Run shows the data that exists about the wallets outside the database. With --apply it
// brings them out of safe mode. It uses a worker's keys and connections to the wallets. The
// workers must run, because the data in Temporal is read through them.
func (c *recoverCmd) Run(ctx context.Context, admin *adminCmd) error {
	b, err := openWith(ctx, secret.Worker, postgres.ByHand) // a wallet may read the chain meanwhile
	if err != nil {
		return err
	}
	defer b.close()
	keeper, err := b.allWallets(ctx)
	if err != nil {
		return err
	}
	if _, ok := keeper.Wallets[c.Wallet]; c.Wallet != "" && !ok {
		return fmt.Errorf("wallet %s is not configured here", c.Wallet)
	}
	if c.AddressesUpTo != 0 && c.Wallet == "" {
		return errors.New("--addresses-up-to is of one wallet: name it with --wallet")
	}
	r := &witness.Recoverer{
		Keeper: keeper, Actor: string(admin.actor()), Accept: c.AcceptUnknown, AddressesUpTo: c.AddressesUpTo, Paid: c.Paid,
		Address: b.payoutAddress, Seal: b.sealSweep,
	}
	run := r.Show
	if c.Apply {
		run = r.Apply
	}
	wallets := slices.Sorted(maps.Keys(keeper.Wallets))
	if c.Wallet != "" {
		wallets = []string{c.Wallet}
	}
	wake := func(ctx context.Context) error {
		_, err := (worker.Reconciler{Store: b.store, Temporal: b.temporal, Clock: clock}).Run(ctx)
		return err
	}
	if !c.Apply {
		wake = nil
	}
	list, err := recoverWallets(ctx, wallets, run, wake)
	return errors.Join(admin.show(list), err)
}

// recoverWallets recovers one wallet after the other. A wallet that fails, such as the
// sandbox's while its chain is unavailable, does not keep the next ones in safe mode. Then it
// calls wake, unless wake is nil, even if a wallet failed partly or fully, because every
// payment that was taken over or freed needs its workflow.
func recoverWallets(
	ctx context.Context, wallets []string, run func(ctx context.Context, id string) (witness.Recovery, error), wake func(ctx context.Context) error,
) (list []witness.Recovery, err error) {
	list = []witness.Recovery{}
	for _, id := range wallets {
		found, failed := run(ctx, id)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("wallet %s: %w", id, failed))
			continue
		}
		list = append(list, found)
	}
	if wake != nil {
		err = errors.Join(err, wake(ctx))
	}
	return list, err
}

// allWallets returns a keeper of the merchants' and the exchange's wallets.
func (b *base) allWallets(ctx context.Context) (*witness.Keeper, error) {
	wallets, err := b.wallets(ctx)
	if err != nil {
		return nil, err
	}
	all := b.merchantWitnesses(wallets)
	_, _, entries, err := b.quoter()
	if err != nil {
		return nil, err
	}
	opened, err := b.exchangeWallets(entries)
	if err != nil {
		return nil, err
	}
	for _, w := range opened {
		all[w.id] = w.witness
	}
	return b.keeper(all), nil
}

// payoutAddress seals the merchant's current payout address for a payout.
func (b *base) payoutAddress(m db.Merchant, payoutID string) ([]byte, error) {
	if m.PayoutAddressSealed == nil {
		return b.sealSweep(payoutID, "")
	}
	address, err := b.box.Unseal(m.PayoutAddressSealed, secret.PayoutPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	return b.sealSweep(payoutID, string(address))
}

func (b *base) sealSweep(payoutID, address string) ([]byte, error) {
	return b.box.Seal([]byte(address), secret.SweepAddressPlace.Of(payoutID))
}
