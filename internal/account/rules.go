package account

import (
	"errors"
	"net/mail"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // a container need not have the time zones
	"unicode"
	"unicode/utf8"
)

// Errors of the rules. Their texts are shown to clients.
var (
	// ErrEmail is returned for a text that is not an email address.
	ErrEmail = errors.New("email must be an email address of at most 254 characters")
	// ErrBusinessName is returned for a business name that is empty, too long or unprintable.
	ErrBusinessName = errors.New("businessName must be 1 to 200 printable characters")
	// ErrContact is returned for contact information that is too long or unprintable.
	ErrContact = errors.New("contact must be at most 500 printable characters and line breaks")
)

// Bounds of what an account holds, in characters.
const (
	MinPassword     = 10
	MaxPassword     = 200
	maxEmail        = 254
	maxBusinessName = 200
	maxContact      = 500
)

// VerificationLife is how long the link in a verification mail is valid.
const VerificationLife = 24 * time.Hour

// StepUpLife is how long the password, or a code, that a session gave counts
// for the changes that ask for it.
const StepUpLife = 10 * time.Minute

// AdminSessionLife is how long after the login a token opens the operators'
// routes; a token that a changed password brought is of the login before.
const AdminSessionLife = 12 * time.Hour

// ResetLife is how long the link in a mail for another password is valid, and
// MaxResets how many such mails an address gets in that time.
const (
	ResetLife = time.Hour
	MaxResets = 3
)

// EndPath is where the link leads that ends what a reset of the password left; the
// token follows.
const EndPath = "/end-access/"

// ResetPath is where the link in a mail for another password leads; the token
// follows.
const ResetPath = "/reset-password/"

// RefundPath is where the link of a refund leads; the refund's identifier follows it, a
// slash, and the secret of the link.
const RefundPath = "/refund/"

// ConnectPath is the page where a merchant lets an application have a key, and
// begins the paths of its forms. ConnectRoot is the path above them.
const (
	ConnectRoot = "/api-keys"
	ConnectPath = ConnectRoot + "/authorize"
)

// UnverifiedLife is how long an account that owns nothing keeps an email
// address that its merchant has not confirmed.
const UnverifiedLife = 7 * 24 * time.Hour

// VerificationPath is where the link in a verification mail leads; the token
// follows.
const VerificationPath = "/verify-email/"

// Failed logins. An account locks after MaxFailures in a row, known to the
// service or not; an address is blocked after MaxIPFailures in IPWindow.
const (
	MaxFailures   = 5
	LockTime      = 15 * time.Minute
	MaxIPFailures = 20
	IPWindow      = 15 * time.Minute
	IPBlockTime   = time.Hour
)

// ParseEmail checks an address and drops surrounding space. It wants the bare
// form without a display name. ErrEmail otherwise.
func ParseEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxEmail {
		return "", ErrEmail
	}
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s || strings.ContainsFunc(s, unicode.IsControl) {
		return "", ErrEmail
	}
	return s, nil
}

// PasswordLongEnough reports whether a new password has 10 to 200 characters.
func PasswordLongEnough(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= MinPassword && n <= MaxPassword
}

// turning matches Unicode's embeddings, overrides and isolates. Marks of one letter, which names in
// Arabic and Hebrew have, stay.
var turning = regexp.MustCompile("[\u202a-\u202e\u2066-\u2069]")

// ParseBusinessName drops surrounding space and characters that turn the text after them around,
// and wants 1 to 200 printable characters; ErrBusinessName otherwise.
func ParseBusinessName(s string) (string, error) {
	s = strings.TrimSpace(turning.ReplaceAllString(s, ""))
	n := utf8.RuneCountInString(s)
	if n < 1 || n > maxBusinessName || strings.ContainsFunc(s, unicode.IsControl) {
		return "", ErrBusinessName
	}
	return s, nil
}

// ErrTimeZone is returned for a name that is no time zone. Clients see its text.
var ErrTimeZone = errors.New("timeZone must be the IANA name of a time zone, such as Europe/Berlin")

// ParseTimeZone wants the IANA name of a time zone; ErrTimeZone otherwise.
func ParseTimeZone(s string) (string, error) {
	if _, err := time.LoadLocation(s); err != nil || s == "" || s == "Local" {
		return "", ErrTimeZone
	}
	return s, nil
}

// ParseContact drops surrounding space and wants at most 500 printable
// characters and line breaks; ErrContact otherwise. It may be empty.
func ParseContact(s string) (string, error) {
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	unprintable := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if utf8.RuneCountInString(s) > maxContact || strings.ContainsFunc(s, unprintable) {
		return "", ErrContact
	}
	return s, nil
}
