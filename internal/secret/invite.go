package secret

import "strings"

const invitePrefix = "inv_"

// NewInvite makes an invite for opening an account: 192 random bits.
func NewInvite() string { return invitePrefix + randomHex(apiKeyDigits) }

// IsInvite reports whether a text has the form of an invite.
func IsInvite(s string) bool {
	digits, ok := strings.CutPrefix(s, invitePrefix)
	return ok && len(digits) == apiKeyDigits && strings.Trim(digits, "0123456789abcdef") == ""
}
