package charge

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

// Limits of the texts of a request, in characters.
const (
	MaxRequestDescription = 500
	MaxRequestReference   = 100
)

// RequestStatus is where a request stands.
type RequestStatus string

// The states of a request.
const (
	RequestActive   RequestStatus = "active"
	RequestInactive RequestStatus = "inactive"
	RequestConsumed RequestStatus = "consumed"
	RequestExpired  RequestStatus = "expired"
)

// Request is a payment request: a link that a merchant shares. Each visit makes a charge
// of its amount. A request for one payment is consumed by the first charge that is
// confirmed.
//
//	active ◀──toggle──▶ inactive ──delete, never paid──▶ deleted
//	   │
//	   └──paid, single use──▶ consumed
type Request struct {
	ID         string
	MerchantID string
	Sandbox    bool
	// Amount is in the natural unit of Currency.
	Amount      money.Decimal
	Currency    money.Currency
	Description *string
	Reference   *string
	SingleUse   bool
	Fields      []string
	// Required are those of Fields without which the page makes no charge.
	Required []string
	// ExpiresAt is nil for a request that never expires.
	ExpiresAt *time.Time
	// Active is the merchant's switch.
	Active bool
	// CompletedPayments counts confirmed charges; ConsumedAt is when the first
	// of them ended a request for one payment.
	CompletedPayments int32
	ConsumedAt        *time.Time
	CreatedAt         time.Time
}

// StatusAt is the request's status at a moment. A paid request is consumed whatever
// its switch is set to.
func (r Request) StatusAt(now time.Time) RequestStatus {
	switch {
	case r.ConsumedAt != nil:
		return RequestConsumed
	case !r.Active:
		return RequestInactive
	case r.ExpiresAt != nil && !now.Before(*r.ExpiresAt):
		return RequestExpired
	default:
		return RequestActive
	}
}

// Asks reports whether an amount and a currency that a customer names, or nil for
// none, are those of the request.
func (r Request) Asks(amount *money.Decimal, currency *string) bool {
	return (amount == nil || amount.Cmp(r.Amount) == 0) && (currency == nil || *currency == string(r.Currency))
}
