package front

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Errors of Caller.
var (
	// ErrUnknownKey says that a key is not known, or not any more.
	ErrUnknownKey = errors.New("the API key is not valid")
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

// name tells callers apart where they are counted.
func (c Caller) name() string {
	if c.KeyID != "" {
		return "key " + c.KeyID
	}
	return "ip " + c.ip
}

// KeyRef is the key's ID, or nil without a key.
func (c Caller) KeyRef() *string {
	if c.KeyID == "" {
		return nil
	}
	return &c.KeyID
}

// KeysOf are the keys of a request, from either header, each once.
func KeysOf(r *http.Request) []string {
	given := slices.Concat(r.Header.Values("API-Key"), r.Header.Values("X-SWAP-API-Key"))
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
// most: ErrUnknownKey for one that is not known, ErrSeveralKeys for more.
// Without a key, and beside an error, it is nobody.
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
	hash := secret.HashAPIKey(key)
	found, err := f.Store.GetSwapKeyByHash(ctx, hash)
	if postgres.IsNotFound(err) || (err == nil && !secret.Equal(hash, found.KeyHash)) {
		return nobody, ErrUnknownKey
	}
	if err != nil {
		return nobody, err
	}
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

// ClientCode tells callers apart for the cap on what they keep without a
// deposit; nil where the cap is off. All who come through Tor without a key
// are one: a new circuit costs nothing, and what is kept is kept from others.
func (f *Front) ClientCode(c Caller) []byte {
	if f.limiters == nil {
		return nil
	}
	if c.onion && c.KeyID == "" {
		return f.Index.Client(web.Together)
	}
	return f.Index.Client(c.name())
}
