package charge

// MaxPendingButtons is how many charges of one merchant that were not made
// with a key may be pending at the same time. Anybody can make such charges,
// so nobody may take up a merchant's addresses with them.
const MaxPendingButtons = 50

// The shares of MaxPendingButtons: what one client may have made, which is as
// much as it may make in a minute, and what all who came through Tor may have
// made together, of whom one could be many. So no visitor takes them all from
// the others.
const (
	MaxPendingOfClient = 30
	MaxPendingOfCrowd  = MaxPendingButtons / 2
)

// MaxPending is how many charges of one merchant may be pending at the same
// time where neither the merchant nor the configuration has another number.
// Each has an address that is never given out again.
const MaxPending = 10_000
