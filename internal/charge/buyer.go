package charge

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxBuyerValue is the length of a buyer's value in characters.
const maxBuyerValue = 500

// ErrBuyerInfo says that a buyer's values are not taken. Its text is meant for
// clients.
var ErrBuyerInfo = errors.New("buyer fields")

// CheckBuyerInfo says whether the charge takes these values: it waits for its
// payment and asked for all of the names, and no value has more than 500
// characters. Errors wrap ErrBuyerInfo and name no value.
func CheckBuyerInfo(c Charge, values map[string]string) error {
	if c.Status != Pending {
		return fmt.Errorf("%w are taken only while the charge is pending", ErrBuyerInfo)
	}
	return CheckBuyerValues(c.Fields, values)
}

// CheckBuyerValues is CheckBuyerInfo for a charge yet to be made.
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
