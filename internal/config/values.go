package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
)

// Minutes is a duration given as a decimal number of minutes.
type Minutes time.Duration

// UnmarshalText reads minutes: 0 to a year, fractions allowed.
func (m *Minutes) UnmarshalText(text []byte) error {
	n, err := decimalUpTo(text, 366*24*60, "a number of minutes")
	*m = Minutes(n.ScaleInt(int64(time.Minute)))
	return err
}

// decimalUpTo reads a decimal number from 0 to most.
func decimalUpTo(text []byte, most int64, what string) (money.Decimal, error) {
	d, err := money.ParseDecimal(string(text))
	if err != nil || d.Sign() < 0 || d.Cmp(money.DecimalFromInt(most)) > 0 {
		return money.Decimal{}, fmt.Errorf("%q is not %s", text, what)
	}
	return d, nil
}

// Duration is the value as a time.Duration.
func (m Minutes) Duration() time.Duration { return time.Duration(m) }

// Days is a duration given as a decimal number of days.
type Days time.Duration

// UnmarshalText reads days: 0 to a hundred years, fractions allowed.
func (d *Days) UnmarshalText(text []byte) error {
	n, err := decimalUpTo(text, 36_525, "a number of days")
	*d = Days(n.ScaleInt(int64(24 * time.Hour)))
	return err
}

// Duration is the value as a time.Duration.
func (d Days) Duration() time.Duration { return time.Duration(d) }

// Percent is a decimal number from 0 to 100.
type Percent struct{ money.Decimal }

// UnmarshalText reads a percentage.
func (p *Percent) UnmarshalText(text []byte) (err error) {
	p.Decimal, err = decimalUpTo(text, 100, "a percentage")
	return err
}

// FeeRate is a share from 0 up to, and without, 1, in at most 6 decimals.
type FeeRate struct{ money.Decimal }

// UnmarshalText reads a share.
func (r *FeeRate) UnmarshalText(text []byte) (err error) {
	if r.Decimal, err = money.ParseDecimal(string(text)); err != nil || !payout.IsRate(r.Decimal) {
		return fmt.Errorf("%q is not a share from 0 to 1", text)
	}
	return nil
}

// Switch is on or off.
type Switch bool

// UnmarshalText reads on or off.
func (s *Switch) UnmarshalText(text []byte) error {
	*s = string(text) == "on"
	if !*s && string(text) != "off" {
		return fmt.Errorf("%q is neither on nor off", text)
	}
	return nil
}

// word reads one of some words. For another text it returns wrong.
func word[T ~string](into *T, text []byte, wrong error, words ...T) error {
	if !slices.Contains(words, T(text)) {
		return wrong
	}
	*into = T(text)
	return nil
}

// MailTLS is how the connection to the mail server is encrypted.
type MailTLS string

// The ways to encrypt.
const (
	MailStartTLS MailTLS = "starttls"
	MailTLSFirst MailTLS = "tls"
	MailTLSOff   MailTLS = "off"
)

// UnmarshalText reads one of the three.
func (t *MailTLS) UnmarshalText(text []byte) error {
	return word(t, text, fmt.Errorf("%q is none of starttls, tls, off", text), MailStartTLS, MailTLSFirst, MailTLSOff)
}

// Verification is whether addresses have to be verified; empty follows from the
// other settings.
type Verification string

// The choices.
const (
	VerificationRequired Verification = "required"
	VerificationOff      Verification = "off"
)

// UnmarshalText reads one of the two.
func (v *Verification) UnmarshalText(text []byte) error {
	return word(v, text, fmt.Errorf("%q is neither required nor off", text), VerificationRequired, VerificationOff)
}

// AdminListeners is where the operators' routes are served.
type AdminListeners string

// The listeners of the operators' routes.
const (
	AdminInternal AdminListeners = "internal"
	AdminPublic   AdminListeners = "public"
)

// UnmarshalText reads one of the two.
func (l *AdminListeners) UnmarshalText(text []byte) error {
	return word(l, text, fmt.Errorf("%q is neither internal nor public", text), AdminInternal, AdminPublic)
}

// SignUp says who may open an account.
type SignUp string

// Anyone, a person with an operator's invite, or no one.
const (
	SignUpOpen   SignUp = "open"
	SignUpInvite SignUp = "invite"
	SignUpClosed SignUp = "closed"
)

// UnmarshalText reads one of the three words.
func (s *SignUp) UnmarshalText(text []byte) error {
	return word(s, text, fmt.Errorf("%q is none of open, invite and closed", text), SignUpOpen, SignUpInvite, SignUpClosed)
}

// Custody says who holds what buyers pay.
type Custody string

// The service until it is paid out, each shop in its own wallet, or as each shop chooses.
const (
	CustodyHosted Custody = "hosted"
	CustodyOwn    Custody = "own"
	CustodyBoth   Custody = "both"
)

// UnmarshalText reads one of the three words.
func (c *Custody) UnmarshalText(text []byte) error {
	return word(c, text, fmt.Errorf("%q is none of hosted, own and both", text), CustodyHosted, CustodyOwn, CustodyBoth)
}

// LogFormat is the form of log lines.
type LogFormat string

// The two forms.
const (
	LogJSON LogFormat = "json"
	LogText LogFormat = "text"
)

// UnmarshalText reads one of the two words.
func (f *LogFormat) UnmarshalText(text []byte) error {
	return word(f, text, errors.New("it must be json or text"), LogJSON, LogText)
}

// SandboxChain is what pays charges of the sandbox.
type SandboxChain string

// The two sources of payments.
const (
	SandboxSimulated SandboxChain = "simulated"
	SandboxWallet    SandboxChain = "wallet"
)

// UnmarshalText reads one of the two words.
func (s *SandboxChain) UnmarshalText(text []byte) error {
	return word(s, text, errors.New("it must be simulated or wallet"), SandboxSimulated, SandboxWallet)
}

// ReadSecret returns the trimmed content of a secret's file.
func ReadSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("secret file: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
