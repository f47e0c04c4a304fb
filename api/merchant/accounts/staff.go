package accounts

import (
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Staff answers requests about the staff of shops.
type Staff struct {
	Store   *postgres.Store
	Box     *secret.Box
	Confirm access.Asker
	Notices notice.Notices
	Clock   func() time.Time
	// PayoutHold is how long refunds need approval after the merchant allowed more without it; 0
	// for not at all.
	PayoutHold time.Duration
	// PublicURL is the base URL that people see, without a trailing slash.
	PublicURL string
}

// Register registers the staff of a shop, the shops of a person, and the list of actions.
func (h *Staff) Register(api operation.API) {
	h.registerStaff(api)
	h.registerInvites(api)
	h.registerShops(api)
	h.registerActions(api)
}

// emailOf returns the address of an account; empty if the account was deleted.
func (h *Staff) emailOf(personID string, sealed []byte) (string, error) {
	if sealed == nil {
		return "", nil
	}
	email, err := h.Box.Unseal(sealed, secret.EmailPlace(personID))
	return string(email), err
}
