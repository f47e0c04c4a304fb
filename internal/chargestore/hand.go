package chargestore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

const (
	// largestHand is how many addresses of a wallet a process is handed at once at most, and how
	// many charges it creates at once. So fewer than twice as many are lost if it dies.
	largestHand = 32
	// handPause is the pause after which a process is handed one address again, and not twice
	// as many as before.
	handPause = 10 * time.Second
	// handTime is how long the process waits for addresses that it asked for.
	handTime = 30 * time.Second
)

// address is an address that an instance of the database handed out to this process. That hands
// it to no other process, so this one may give it to one charge.
type address = db.HandOutAddressesRow

// hands are the addresses of each wallet that this process has and no charge has. The zero
// value has none. A process that ends loses its addresses: they are never handed out again.
type hands struct {
	mu sync.Mutex
	of map[string]*hand
}

// hand has the addresses of one wallet.
type hand struct {
	// creating is held by each caller that takes an address, until it is known what became of it.
	creating chan struct{}
	// filling is held by the caller that asks for more.
	filling chan struct{}

	mu        sync.Mutex
	addresses []address
	// size is how many were asked for last, and filledAt is when.
	size     int64
	filledAt time.Time
}

func (h *hands) wallet(id string) *hand {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[string]*hand{}
	}
	if h.of[id] == nil {
		h.of[id] = &hand{creating: make(chan struct{}, largestHand), filling: make(chan struct{}, 1)}
	}
	return h.of[id]
}

// take returns an address of a wallet for one charge, which the caller must settle. It returns
// the error of NoAddress if there is none. No transaction may be open, because it may need a
// connection.
func (h *hands) take(ctx context.Context, store *postgres.Store, walletID string, now time.Time) (address, error) {
	wallet := h.wallet(walletID)
	if err := hold(ctx, wallet.creating); err != nil {
		return address{}, err
	}
	for {
		if next, found := wallet.pop(); found {
			return next, nil
		}
		if err := wallet.fill(ctx, store, walletID, now); err != nil {
			<-wallet.creating
			return address{}, err
		}
	}
}

// settle ends what take began. It takes back an address that certainly no charge has.
func (h *hands) settle(walletID string, taken address, unused bool) {
	wallet := h.wallet(walletID)
	defer func() { <-wallet.creating }()
	if !unused {
		return
	}
	wallet.mu.Lock()
	defer wallet.mu.Unlock()
	wallet.addresses = append([]address{taken}, wallet.addresses...)
}

// hold waits for a place.
func hold(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drop forgets the addresses of a wallet that this instance of the database handed out, because
// their lease has ended.
func (h *hands) drop(walletID, leaseInstance string) {
	wallet := h.wallet(walletID)
	wallet.mu.Lock()
	defer wallet.mu.Unlock()
	wallet.addresses = slices.DeleteFunc(wallet.addresses, func(a address) bool { return a.LeaseInstance == leaseInstance })
}

func (h *hand) pop() (next address, found bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.addresses) == 0 {
		return next, false
	}
	next, h.addresses = h.addresses[0], h.addresses[1:]
	return next, true
}

// fill has more addresses handed out: one, and then twice as many each time, while they are
// used up quickly. Callers that wait for their turn use the addresses of the caller before. Those
// come even if that caller leaves.
func (h *hand) fill(ctx context.Context, store *postgres.Store, walletID string, now time.Time) error {
	if err := hold(ctx, h.filling); err != nil {
		return err
	}
	defer func() { <-h.filling }()
	size, empty := h.next(now)
	if !empty {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handTime)
	defer cancel()
	more, err := store.HandOutAddresses(ctx, db.HandOutAddressesParams{WalletID: walletID, Most: size})
	switch {
	case err != nil:
		return err
	case len(more) == 0:
		none := refusals.New(refusals.NoAddress, "no receiving address is ready")
		err := postgres.NoAddress(ctx, store.Queries, walletID, postgres.SafeModeRefusal(), none)
		if errors.Is(err, postgres.ErrNoLease) {
			return none
		}
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addresses, h.size, h.filledAt = append(h.addresses, more...), size, now
	return nil
}

// next returns how many addresses to ask for, and whether there are none.
func (h *hand) next(now time.Time) (size int64, empty bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if size = 1; now.Sub(h.filledAt) < handPause {
		size = min(2*h.size, largestHand)
	}
	return max(size, 1), len(h.addresses) == 0
}
