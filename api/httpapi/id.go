package httpapi

import "strings"

// PlainID reports whether an identifier from a path has the form that all of them have: its
// prefix, then 1 to 64 lowercase letters and digits.
func PlainID(id, prefix string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && rest != "" && len(rest) <= 64 && strings.Trim(rest, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
