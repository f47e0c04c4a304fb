package regtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/monero"
)

// Fork is a chain and the second daemon that it is joined with. While the two are
// parted, each grows a chain of its own and receives no payment from the other. Once
// they are joined, both follow the longer chain, as any two nodes of a network do.
type Fork struct{ here, there *Chain }

// NewFork is for two daemons that are each other's only peer.
func NewFork(here, there *Chain) *Fork { return &Fork{here, there} }

// There is the chain of the second daemon.
func (f *Fork) There() *Chain { return f.there }

// peersOfAJoin is more than enough for one other.
const peersOfAJoin = 8

// Part ends the connections between the two once both have one chain, so that
// payments made afterwards can spend outputs as young as its newest block allows.
func (f *Fork) Part(ctx context.Context) error {
	if err := f.awaitOneChain(ctx); err != nil {
		return err
	}
	if err := f.allow(ctx, 0); err != nil {
		return err
	}
	return untilDone(ctx, func(ctx context.Context) error {
		for _, c := range []*Chain{f.here, f.there} {
			var info struct {
				In  int `json:"incoming_connections_count"`
				Out int `json:"outgoing_connections_count"`
			}
			if err := ask(ctx, c.url+"/get_info", struct{}{}, &info); err != nil {
				return err
			}
			if info.In+info.Out > 0 {
				return fmt.Errorf("%d connections are left", info.In+info.Out)
			}
		}
		return nil
	})
}

// Join connects the two and waits until they have one chain: a second daemon
// that has none yet gets the first one's.
func (f *Fork) Join(ctx context.Context) error {
	if err := f.allow(ctx, peersOfAJoin); err != nil {
		return err
	}
	return f.awaitOneChain(ctx)
}

func (f *Fork) awaitOneChain(ctx context.Context) error {
	return untilDone(ctx, func(ctx context.Context) error {
		here, err := f.here.daemon.Info(ctx)
		if err != nil {
			return err
		}
		there, err := f.there.daemon.Info(ctx)
		if err == nil && here.TopHash != there.TopHash {
			err = fmt.Errorf("%d blocks here, %d there", here.Height, there.Height)
		}
		return err
	})
}

// Outgrow mines there until that chain is so many blocks longer than this one.
func (f *Fork) Outgrow(ctx context.Context, blocks int) error {
	here, err := f.here.Height(ctx)
	if err != nil {
		return err
	}
	there, err := f.there.Height(ctx)
	if err != nil {
		return err
	}
	return f.there.Mine(ctx, int(here)-int(there)+blocks)
}

func (f *Fork) allow(ctx context.Context, peers int) error {
	for _, c := range []*Chain{f.here, f.there} {
		for _, direction := range []string{"out_peers", "in_peers"} {
			var done struct {
				Status string `json:"status"`
			}
			if err := ask(ctx, c.url+"/"+direction, map[string]any{"set": true, direction: peers}, &done); err != nil {
				return err
			}
			if done.Status != "OK" {
				return fmt.Errorf("%s: %s", direction, done.Status)
			}
		}
	}
	return nil
}

// Copy is a copy of a wallet that is connected to the second daemon alone.
type Copy struct {
	url    string
	wallet *monero.Wallet
	fork   *Fork
}

// Copy uses the wallet at a URL.
func (f *Fork) Copy(url string) *Copy {
	return &Copy{url: url, fork: f, wallet: monero.NewWallet(monero.Endpoint{URL: url}, patient())}
}

// Learn lets the copy know this many addresses. It does not see payments to later ones.
func (c *Copy) Learn(ctx context.Context, addresses uint32) error {
	return c.wallet.EnsureAddressCount(ctx, addresses)
}

// TakeBack has the copy spend everything that a transaction of the first chain
// spends, and the second chain hold that: it pays an address, and only one of
// the two can ever be in one chain. It returns the hashes of what it made.
func (c *Copy) TakeBack(ctx context.Context, txHash, address string) (made []string, err error) {
	blob, err := c.fork.here.Blob(ctx, txHash)
	if err != nil {
		return nil, err
	}
	images, err := monero.KeyImages(blob)
	if err != nil {
		return nil, err
	}
	if _, err := c.wallet.Refresh(ctx); err != nil {
		return nil, err
	}
	for _, image := range images {
		var sent Sent
		params := map[string]any{"address": address, "key_image": image}
		if err := rpc(ctx, c.url, "sweep_single", params, &sent); err != nil {
			return made, fmt.Errorf("take back %s: %w", txHash, err)
		}
		made = append(made, sent.Hash)
		if err := c.fork.there.MineInto(ctx, sent.Hash); err != nil {
			return made, err
		}
	}
	return made, nil
}

// Blob is a transaction of the chain or the pool (hex).
func (c *Chain) Blob(ctx context.Context, txHash string) (string, error) {
	blob, err := c.daemon.TransactionBytes(ctx, txHash)
	if errors.Is(err, monero.ErrNotFound) { // the daemon misses one that a block takes from the pool while it looks
		blob, err = c.daemon.TransactionBytes(ctx, txHash)
	}
	return blob, err
}
