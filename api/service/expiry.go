package service

import (
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// LinkExpiry returns the time until which a link is valid if it is never visited. The client
// gives it as a timestamp, or in hours from now, or not at all (nil).
func LinkExpiry(at *wire.Time, hours *money.Decimal, now time.Time) (*time.Time, error) {
	var end time.Time
	switch {
	case at == nil && hours == nil:
		return nil, nil //nolint:nilnil // no expiration is a valid answer
	case at != nil && hours != nil:
		return nil, httpapi.BadRequest("expires_at and expires_in exclude each other")
	case at != nil:
		end = time.Time(*at)
	case hours.Sign() <= 0:
		return nil, httpapi.BadRequest("expires_in must be a number of hours above 0")
	case hours.Cmp(money.DecimalFromInt(366*24)) > 0:
		return nil, errTooFar()
	default:
		end = now.Add(time.Duration(hours.ScaleInt(int64(time.Hour))))
	}
	end = end.UTC().Truncate(time.Millisecond)
	if !end.After(now) {
		return nil, httpapi.BadRequest("the link expiration must be in the future")
	}
	if end.After(now.AddDate(1, 0, 0)) {
		return nil, errTooFar()
	}
	return &end, nil
}

func errTooFar() error {
	return httpapi.BadRequest("the link expiration must be within a year")
}
