package sanctions

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"
)

// ErrList means that a file is not a usable list. The wrapped text gives the
// reason.
var ErrList = errors.New("not a usable sanctions list")

// List contains the stored part of a published list.
type List struct {
	// Entries are the addresses in the spelling of Normalise, each once.
	Entries []Entry
	// PublishedAt is the day of issue, in UTC; zero if the list has no date.
	PublishedAt time.Time
	// Digest is the SHA-256 of the whole file.
	Digest []byte
}

// Entry is a listed address. It is blocked for every asset, not only for the one
// under which it is listed.
type Entry struct {
	Address string
	// Asset is the list's name of the asset: XBT, ETH.
	Asset string
}

// Count is the number of addresses that a list contains under an asset.
type Count struct {
	Asset     string
	Addresses int
}

// Assets counts the list's addresses by asset, the most frequent asset first.
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
