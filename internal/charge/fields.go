package charge

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// EmailField is the buyer field that holds an email address.
const EmailField = "email"

// Limits of the buyer fields of a charge.
const (
	MaxFields    = 10
	maxFieldName = 50
)

// ErrFields is returned for names of buyer fields that are not allowed. Clients
// see its text.
var ErrFields = errors.New("fields")

var fieldName = regexp.MustCompile(`^[a-z0-9_]+$`)

// CheckFields checks the names of the buyer fields that a page asks for: at
// most 10, each of 1 to 50 characters out of a-z, 0-9 and the underscore. It
// returns them without repetitions, never nil. Errors wrap ErrFields.
func CheckFields(names []string) ([]string, error) {
	fields := make([]string, 0, len(names))
	for _, name := range names {
		if !fieldName.MatchString(name) || len(name) > maxFieldName {
			return nil, fmt.Errorf("%w may hold names of 1 to %d characters: a-z, 0-9 and _", ErrFields, maxFieldName)
		}
		if !slices.Contains(fields, name) {
			fields = append(fields, name)
		}
	}
	if len(fields) > MaxFields {
		return nil, fmt.Errorf("%w may hold at most %d names", ErrFields, MaxFields)
	}
	return fields, nil
}

// CheckRequired returns the required names, never nil. Each must be one of fields. Errors wrap
// ErrFields.
func CheckRequired(fields, required []string) ([]string, error) {
	names := make([]string, 0, len(required))
	for _, name := range required {
		if !slices.Contains(fields, name) {
			return nil, fmt.Errorf("required_%w may only be those of fields", ErrFields)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// SplitFields splits a comma-separated list of names. It returns nil for an
// empty text.
func SplitFields(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	names := strings.Split(text, ",")
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}

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

// CheckRequiredValues returns nil if there is a value for each required name. Errors wrap ErrBuyerInfo.
func CheckRequiredValues(required []string, values map[string]string) error {
	for _, name := range required {
		if strings.TrimSpace(values[name]) == "" {
			return fmt.Errorf("%w that are required are missing", ErrBuyerInfo)
		}
	}
	return nil
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
