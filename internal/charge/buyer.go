package charge

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxBuyerValue is the maximum length of a buyer's value in characters.
const maxBuyerValue = 500

// ErrBuyerInfo is returned for buyer values that the charge does not accept.
// Clients see its text.
var ErrBuyerInfo = errors.New("buyer fields")

// CheckBuyerInfo returns nil if the charge accepts these values: it is pending,
// it asks for every one of the names, and no value has more than 500
// characters. Errors wrap ErrBuyerInfo and contain no value.
func CheckBuyerInfo(c Charge, values map[string]string) error {
	if c.Status != Pending {
		return fmt.Errorf("%w are taken only while the charge is pending", ErrBuyerInfo)
	}
	return CheckBuyerValues(c.Fields, values)
}

// CheckBuyerValues checks values as CheckBuyerInfo does, for a charge that does
// not exist yet.
func CheckBuyerValues(fields []string, values map[string]string) error {
	for name, value := range values {
		if !slices.Contains(fields, name) {
			return fmt.Errorf("%w may only be those that the charge asks for", ErrBuyerInfo)
		}
		if utf8.RuneCountInString(value) > maxBuyerValue {
			return fmt.Errorf("%w may have at most %d characters each", ErrBuyerInfo, maxBuyerValue)
		}
	}
	return nil
}
