package config

import (
	"errors"
	"fmt"
	"net/mail"
)

// Mail is the server that mails are handed to. Without one there are no mails,
// and addresses are not verified.
type Mail struct {
	// SMTPHost is the server's name; empty when there is none.
	SMTPHost string `env:"SMTP_HOST"`
	SMTPPort int    `env:"SMTP_PORT" envDefault:"587"`
	// SMTPTLS is starttls (required, port 587), tls (from the first byte, port
	// 465) or off (a server on the same machine).
	SMTPTLS MailTLS `env:"SMTP_TLS" envDefault:"starttls"`
	// SMTPUser logs in with the password of the file; empty for no login.
	SMTPUser         string `env:"SMTP_USER"`
	SMTPPasswordFile string `env:"SMTP_PASSWORD_FILE"`
	// MailFrom is the sender: an address, or a name with one.
	MailFrom string `env:"MAIL_FROM"`
	// EmailVerification is required or off; when it is not set, required where
	// there is a mail server.
	EmailVerification Verification `env:"EMAIL_VERIFICATION"`
}

// VerifiesEmail reports whether merchants have to verify their addresses.
func (m Mail) VerifiesEmail() bool {
	if m.EmailVerification == "" {
		return m.SMTPHost != ""
	}
	return m.EmailVerification == VerificationRequired
}

func (m Mail) check() error {
	if m.SMTPHost == "" {
		if m.VerifiesEmail() {
			return errors.New("EMAIL_VERIFICATION=required needs SMTP_HOST")
		}
		return nil
	}
	var errs []error
	if m.SMTPPort < 1 || m.SMTPPort > 65535 {
		errs = append(errs, errors.New("SMTP_PORT must be 1 to 65535"))
	}
	if _, err := mail.ParseAddress(m.MailFrom); err != nil {
		errs = append(errs, errors.New("MAIL_FROM must be an address when SMTP_HOST is set"))
	}
	if (m.SMTPUser == "") != (m.SMTPPasswordFile == "") {
		errs = append(errs, errors.New("SMTP_USER and SMTP_PASSWORD_FILE go together"))
	}
	if m.SMTPUser != "" && m.SMTPTLS == MailTLSOff {
		errs = append(errs, errors.New("SMTP_USER needs SMTP_TLS: the password would travel in the clear"))
	}
	return errors.Join(errs...)
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
	switch pair := MailTLS(text); pair {
	case MailStartTLS, MailTLSFirst, MailTLSOff:
		*t = pair
		return nil
	default:
		return fmt.Errorf("%q is none of starttls, tls, off", text)
	}
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
	switch choice := Verification(text); choice {
	case VerificationRequired, VerificationOff:
		*v = choice
		return nil
	default:
		return fmt.Errorf("%q is neither required nor off", text)
	}
}
