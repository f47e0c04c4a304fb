package charge

// MaxPendingButtons limits the pending charges of one merchant that were
// created without a key. Anyone can create such charges, so the limit keeps
// them from using up the merchant's addresses.
const MaxPendingButtons = 50

// The shares of MaxPendingButtons, which keep one visitor from using all of it.
// MaxPendingOfClient is the share of one client: as many charges as it may
// create in a minute. MaxPendingOfCrowd is the share of all clients that came
// through Tor together, because one of them could appear as many.
const (
	MaxPendingOfClient = 30
	MaxPendingOfCrowd  = MaxPendingButtons / 2
)

// MaxPending limits the pending charges of one merchant where neither the
// merchant nor the configuration sets another number. Each charge has an
// address that is never used for another charge.
const MaxPending = 10_000
