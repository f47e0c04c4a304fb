package charge

// MaxPendingButtons is how many charges of one merchant that were not made
// with its key may be pending at the same time: anybody can make them, and
// each takes an address.
const MaxPendingButtons = 50
