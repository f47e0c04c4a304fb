package notice

import (
	"context"
	"net/netip"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Bits of an address that name its network.
const (
	networkBits4 = 24
	networkBits6 = 48
)

// Login is a login that succeeded.
type Login struct {
	MerchantID string
	// From is the client's address; the zero value stands for all who came through Tor
	// or have none.
	From netip.Addr
	At   time.Time
}

// network is the keyed hash of the login's network. The address is in nothing that is kept.
func (l Login) network(key []byte) []byte {
	name := "onion"
	bits := networkBits6
	if l.From.Unmap().Is4() {
		bits = networkBits4
	}
	if net, err := l.From.Unmap().WithZone("").Prefix(bits); err == nil {
		name = net.String()
	}
	return secret.Code(key, l.MerchantID+":"+name)
}

// SeeLogin remembers the network of a login, and writes a notice when it is new and the
// merchant has logged in from another before. Run twice, or at the same time from the
// same network, it writes one.
func SeeLogin(ctx context.Context, q *db.Queries, key []byte, l Login) error {
	network := l.network(key)
	added, err := q.AddLoginNetwork(ctx, db.AddLoginNetworkParams{MerchantID: l.MerchantID, Network: network, Now: l.At})
	if err != nil {
		return err
	}
	if added == 0 {
		return q.TouchLoginNetwork(ctx, db.TouchLoginNetworkParams{MerchantID: l.MerchantID, Network: network, Now: l.At})
	}
	others, err := q.HasOtherLoginNetwork(ctx, db.HasOtherLoginNetworkParams{MerchantID: l.MerchantID, Network: network})
	if err != nil || !others {
		return err
	}
	return PutBusiness(ctx, q, BusinessNotice{MerchantID: l.MerchantID, Kind: NewLogin, ResourceID: secret.NewID("lg_"), At: l.At})
}
