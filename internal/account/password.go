package account

import (
	"context"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
)

// Passwords hashes and checks passwords with Argon2id. Each hash takes 64 MiB
// and tens of milliseconds, so only a few run at once and the others wait.
type Passwords struct {
	params *argon2id.Params
	slots  chan struct{}
	// decoy is checked in place of the hash of an unknown account, so that
	// both take the same time.
	decoy string
}

// NewPasswords allows as many hashes at once as there are processors.
func NewPasswords() (*Passwords, error) {
	p := &Passwords{
		params: &argon2id.Params{Memory: 64 * 1024, Iterations: 1, Parallelism: 2, SaltLength: 16, KeyLength: 32},
		slots:  make(chan struct{}, max(1, runtime.NumCPU())),
	}
	var err error
	p.decoy, err = argon2id.CreateHash("no account has this password", p.params)
	if err != nil {
		return nil, fmt.Errorf("password hash: %w", err)
	}
	return p, nil
}

// Hash makes the text that is stored; an error only when ctx ends first.
func (p *Passwords) Hash(ctx context.Context, password string) (hash string, err error) {
	err = p.inSlot(ctx, func() error {
		hash, err = argon2id.CreateHash(password, p.params)
		return err
	})
	return hash, err
}

// Check says whether a password fits a stored hash; an empty hash stands for
// an unknown account and never fits, after the same work. allowed is asked
// when it is this caller's turn, right before the work: its error ends the
// check, so that guesses sent at once cannot outrun a lock.
func (p *Passwords) Check(ctx context.Context, password, hash string, allowed func() error) (fits bool, err error) {
	known := hash != ""
	if !known {
		hash = p.decoy
	}
	err = p.inSlot(ctx, func() error {
		if err := allowed(); err != nil {
			return err
		}
		fits, err = argon2id.ComparePasswordAndHash(password, hash)
		return err
	})
	return fits && known, err
}

func (p *Passwords) inSlot(ctx context.Context, work func() error) error {
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
		return work()
	case <-ctx.Done():
		return fmt.Errorf("password hash: %w", ctx.Err())
	}
}
