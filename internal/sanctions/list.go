package sanctions

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// ErrList says that a file is not a list that can be used; what it wraps says why.
var ErrList = errors.New("not a usable sanctions list")

// List is what is kept of a published list.
type List struct {
	// Entries are the addresses in the spelling of Normalise, each once.
	Entries []Entry
	// PublishedAt is the day the list was issued, in UTC; zero when it does not say.
	PublishedAt time.Time
	// Digest is the SHA-256 of the whole file.
	Digest []byte
}

// Entry is a listed address. Whatever asset it is listed under, it is blocked
// for all.
type Entry struct {
	Address string
	// Asset is the list's own name of it: XBT, ETH.
	Asset string
}

// Count is how many addresses a list names under an asset.
type Count struct {
	Asset     string
	Addresses int
}

// Assets counts the list's addresses, the most frequent asset first.
func (l List) Assets() []Count {
	counts := map[string]int{}
	for _, e := range l.Entries {
		counts[e.Asset]++
	}
	out := make([]Count, 0, len(counts))
	for asset, n := range counts {
		out = append(out, Count{Asset: asset, Addresses: n})
	}
	slices.SortFunc(out, func(a, b Count) int {
		return cmp.Or(b.Addresses-a.Addresses, strings.Compare(a.Asset, b.Asset))
	})
	return out
}
