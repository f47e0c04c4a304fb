package exchangeapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Errors of Caller.
var (
	// ErrUnknownKey says that a key is not known, or not any more.
	ErrUnknownKey = errors.New("the API key is not valid")
	// ErrTooManyKeys says that a key is not looked up, since too many that are not
	// known came from the same address or circuit.
	ErrTooManyKeys = errors.New("too many keys that are not valid came from this address, try again later")
	// ErrSeveralKeys says that a request carries different keys: nobody knows
	// whose it is.
	ErrSeveralKeys = errors.New("different API keys are given")
)

// Class is what a caller may do.
type Class string

// The classes; the empty one is that of callers without a key.
const (
	Anonymous Class = ""
	Affiliate Class = "affiliate"
	Partner   Class = "partner"
)

// MarkupCap is the greatest markup of a class, in basis points.
func (c Class) MarkupCap() int64 {
	switch c {
	case Affiliate:
		return 300
	case Partner:
		return 500
	default:
		return 0
	}
}

// Caller is who sent a request.
type Caller struct {
	Class Class
	// KeyID is empty for callers without a key.
	KeyID string
	// MarkupCap is in basis points.
	MarkupCap int64

	// ip is the client's address, or its circuit.
	ip string
	// onion says that it came through Tor.
	onion bool
}

// KeyRef is the key's ID, or nil without a key.
func (c Caller) KeyRef() *string {
	if c.KeyID == "" {
		return nil
	}
	return &c.KeyID
}

// The headers of keys, API-Key and X-SWAP-API-Key, as a server has read them.
const keyHeader, swapKeyHeader = "Api-Key", "X-Swap-Api-Key"

// KeysOf are the keys of a request, from either header, each once.
func KeysOf(r *http.Request) []string {
	given := slices.Concat(r.Header[keyHeader], r.Header[swapKeyHeader])
	if len(given) == 0 {
		return nil
	}
	return Distinct(given)
}

// Distinct are the texts that are not empty, each once.
func Distinct(texts []string) []string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	slices.Sort(texts)
	return slices.Compact(texts)
}

// Nobody is the sender of a request, whatever key it carries.
func (f *Front) Nobody(r *http.Request) Caller {
	_, onion := web.Circuit(r)
	return Caller{ip: web.ClientIP(r, f.TrustedProxies), onion: onion}
}

// Caller finds out who sent a request by its keys, of which there is one at
// most: ErrUnknownKey for one that is not known, ErrTooManyKeys for one that is
// not looked up, ErrSeveralKeys for more. Without a key, and beside an error, it
// is nobody.
func (f *Front) Caller(ctx context.Context, r *http.Request, keys []string) (Caller, error) {
	nobody := f.Nobody(r)
	switch len(keys) {
	case 0:
		return nobody, nil
	case 1:
	default:
		return nobody, ErrSeveralKeys
	}
	key := keys[0]
	if !secret.IsSwapKey(key) {
		return nobody, ErrUnknownKey
	}
	if f.keysTried.Refuses(nobody.ip, key) {
		return nobody, ErrTooManyKeys
	}
	hash := secret.HashAPIKey(key)
	found, err := f.Store.GetSwapKeyByHash(ctx, hash)
	if postgres.IsNotFound(err) || (err == nil && !secret.Equal(hash, found.KeyHash)) {
		f.keysTried.Failed(nobody.ip)
		return nobody, ErrUnknownKey
	}
	if err != nil {
		return nobody, err
	}
	f.keysTried.Good(key)
	f.recordUse(ctx, found)
	c := callerOfRow(found)
	c.ip, c.onion = nobody.ip, nobody.onion
	return c, nil
}

func callerOfRow(row db.SwapKey) Caller {
	c := Caller{Class: Class(row.Class), KeyID: row.ID, MarkupCap: Class(row.Class).MarkupCap()}
	if row.MarkupCap != nil {
		c.MarkupCap = int64(*row.MarkupCap)
	}
	return c
}

// useRecorded is how far behind the note of a key's last use may be.
const useRecorded = 24 * time.Hour

// recordUse keeps when a key was last used, to the day: keys that nobody uses go.
// A note that fails is made by the next request.
func (f *Front) recordUse(ctx context.Context, key db.SwapKey) {
	now := f.Now()
	if now.Sub(key.LastUsedAt) < useRecorded {
		return
	}
	if err := f.Store.RecordSwapKeyUse(ctx, db.RecordSwapKeyUseParams{ID: key.ID, Now: now}); err != nil {
		f.Log.WarnContext(ctx, "the use of a key is not noted", "key", key.ID, "error", err)
	}
}

// ClientCode tells callers apart for the cap on what they keep without a
// deposit; nil where the cap is off. Partners count by key. Keys of affiliates
// cost nothing, so they count like callers without one: by address, and all who
// come through Tor as one, since a new circuit costs nothing either and what is
// kept is kept from others.
func (f *Front) ClientCode(c Caller) []byte {
	switch {
	case f.limiters == nil:
		return nil
	case c.Class == Partner:
		return f.Index.Client("key " + c.KeyID)
	case c.onion:
		return f.Index.Client(web.Together)
	default:
		return f.Index.Client("ip " + c.ip)
	}
}
