package utxo

import (
	"context"
	"errors"
	"fmt"
)

// ErrPassphrase means that the passphrase does not open the wallet, or that a
// passphrase is configured but the wallet has none.
var ErrPassphrase = errors.New("utxo: wallet passphrase refused")

// The daemon's codes about encrypted wallets.
const (
	codeKeypoolEmpty    = -12
	codeLocked          = -13
	codeWrongPassphrase = -14
	codeNotEncrypted    = -15
)

// unlockSeconds is the time after which the daemon locks the wallet by itself.
// It is enough to sign a large transaction. If our process dies, the wallet
// stays unlocked no longer than that.
const unlockSeconds = 30

// signTries is the number of times that signing starts if the wallet was locked
// in between: by another process, or because it took too long.
const signTries = 3

// unlocked runs work that needs the wallet's keys, and locks the wallet again.
// Without a passphrase it assumes that the wallet is not encrypted. It can run
// work more than once. It returns ErrPassphrase if the passphrase is refused.
func (c *Client) unlocked(ctx context.Context, work func() error) error {
	if c.passphrase == "" {
		return work()
	}
	c.opening.Lock() // so that another call does not lock the wallet in between
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
	// WithoutCancel locks the wallet even if the caller has gone away. If locking
	// fails, the daemon locks it by itself after unlockSeconds.
	_ = c.wallet(context.WithoutCancel(ctx), read("walletlock"), nil)
	return err
}

// unlock unlocks the wallet for unlockSeconds. The daemon then also makes keys
// ahead of their use.
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
