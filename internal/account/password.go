package account

import (
	"context"
	"fmt"
	"runtime"

	"github.com/alexedwards/argon2id"
)

// HashMemory is what one hash takes, in KiB. With two passes over 19 MiB it
// costs an attacker as much as one pass over 46 MiB would (both are OWASP's
// recommendations for Argon2id), and a burst of sign-ups stays small.
const HashMemory = 19 * 1024

// atOnce bounds the hashes that run at once, and with them their memory.
const atOnce = 4

// Passwords hashes and checks passwords with Argon2id. Each hash takes 19 MiB
// and tens of milliseconds of one processor, so only a few run at once. The
// rest wait, and clients take turns (WithClient).
type Passwords struct {
	params *argon2id.Params
	turns  *turns
	// decoy is checked in place of the hash of an unknown account, so that
	// both take the same time.
	decoy string
}

// NewPasswords makes hashes that take so much memory, in KiB: HashMemory, or
// less where passwords guard nothing, as in tests that make thousands. It allows
// as many at once as there are processors, and no more than four.
func NewPasswords(memory uint32) (*Passwords, error) {
	p := &Passwords{
		params: &argon2id.Params{Memory: memory, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32},
		turns:  newTurns(min(atOnce, runtime.NumCPU())),
	}
	var err error
	p.decoy, err = argon2id.CreateHash("no account has this password", p.params)
	if err != nil {
		return nil, fmt.Errorf("password hash: %w", err)
	}
	return p, nil
}

// Hash makes the text that is stored. Errors: ErrBusy when too many wait, and
// that of a ctx that ends first.
func (p *Passwords) Hash(ctx context.Context, password string) (hash string, err error) {
	err = p.inSlot(ctx, func() error {
		hash, err = argon2id.CreateHash(password, p.params)
		return err
	})
	return hash, err
}

// Check reports whether a password fits a stored hash. An empty hash stands for
// an unknown account and never fits, after the same work. Check calls allowed
// when it is this caller's turn, right before the work: its error ends the
// check, so that guesses sent at once cannot outrun a lock. Check also returns
// the errors of Hash.
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
	if err := p.turns.take(ctx); err != nil {
		return fmt.Errorf("password hash: %w", err)
	}
	defer p.turns.give()
	return work()
}
