package utxo

import (
	"context"
	"errors"
	"fmt"
)

// ErrPassphrase says that the passphrase does not open the wallet, or that the
// wallet has none although one is configured.
var ErrPassphrase = errors.New("utxo: wallet passphrase refused")

// The daemon's codes about encrypted wallets.
const (
	codeKeypoolEmpty    = -12
	codeLocked          = -13
	codeWrongPassphrase = -14
	codeNotEncrypted    = -15
)

// unlockSeconds is how long the daemon keeps a wallet open by itself: that of a
// large transaction's signing. A process that dies leaves it open no longer.
const unlockSeconds = 30

// signTries is how often signing begins anew when the wallet was locked
// meanwhile: by another process, or because it took too long.
const signTries = 3

// unlocked runs work that needs the wallet's keys, and locks the wallet again.
// Without a passphrase the wallet is taken to have none. Work can run more than
// once. ErrPassphrase.
func (c *Client) unlocked(ctx context.Context, work func() error) error {
	if c.passphrase == "" {
		return work()
	}
	c.opening.Lock() // another's lock would come in between
	defer c.opening.Unlock()
	var err error
	for range signTries {
		if err = c.unlock(ctx); err != nil {
			return err
		}
		if err = work(); codeOf(err) != codeLocked {
			break
		}
	}
	// A caller that has gone away does not leave the wallet open. When locking
	// fails, the daemon does it itself.
	_ = c.wallet(context.WithoutCancel(ctx), read("walletlock"), nil)
	return err
}

// unlock opens the wallet for a while; the daemon makes keys ahead on the way.
func (c *Client) unlock(ctx context.Context) error {
	err := c.wallet(ctx, read("walletpassphrase", c.passphrase, unlockSeconds), nil)
	switch codeOf(err) {
	case codeWrongPassphrase:
		return fmt.Errorf("%w: it is the wrong one", ErrPassphrase)
	case codeNotEncrypted:
		return fmt.Errorf("%w: the wallet is not encrypted", ErrPassphrase)
	}
	return err
}
