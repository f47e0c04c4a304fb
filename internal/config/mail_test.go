package config_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestMailSettings(t *testing.T) {
	server := map[string]string{"SMTP_HOST": "mail.example.com", "MAIL_FROM": "Durapay <noreply@example.com>"}
	for name, c := range map[string]struct {
		set      map[string]string
		verifies bool
		refused  string
	}{
		"no server":              {nil, false, ""},
		"a server":               {server, true, ""},
		"a server, switched off": {with(server, "EMAIL_VERIFICATION", "off"), false, ""},
		"a server, required":     {with(server, "EMAIL_VERIFICATION", "required"), true, ""},
		"required, no server":    {with(nil, "EMAIL_VERIFICATION", "required"), false, "SMTP_HOST"},
		"another word":           {with(server, "EMAIL_VERIFICATION", "on"), false, "EmailVerification"},
		"another encryption":     {with(server, "SMTP_TLS", "ssl"), false, "SMTPTLS"},
		"no sender":              {with(server, "MAIL_FROM", ""), false, "MAIL_FROM"},
		"no port":                {with(server, "SMTP_PORT", "0"), false, "SMTP_PORT"},
		"a port too high":        {with(server, "SMTP_PORT", "65536"), false, "SMTP_PORT"},
		"a user alone":           {with(server, "SMTP_USER", "u"), false, "SMTP_PASSWORD_FILE"},
		"a password in clear":    {with(server, "SMTP_USER", "u", "SMTP_PASSWORD_FILE", "/p", "SMTP_TLS", "off"), false, "in the clear"},
		"a user":                 {with(server, "SMTP_USER", "u", "SMTP_PASSWORD_FILE", "/p", "SMTP_TLS", "tls"), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			setRequired(t)
			for key, value := range c.set {
				t.Setenv(key, value)
			}
			loaded, err := config.Load()
			if c.refused != "" {
				require.ErrorContains(t, err, c.refused)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.verifies, loaded.VerifiesEmail())
		})
	}
}

// with adds settings to a copy.
func with(base map[string]string, pairs ...string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, base)
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return all
}
