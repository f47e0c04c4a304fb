package secret_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// FuzzParseAPIKey: a key has exactly the form in the contract, and only its
// prefix determines the mode.
func FuzzParseAPIKey(f *testing.F) {
	digits := strings.Repeat("0123456789ab", 4)
	for _, seed := range []string{
		"cm_live_" + digits, "cm_test_" + digits, "cm_live_" + digits[1:], "cm_live_" + digits + "0", "CM_LIVE_" + digits,
		"cm_live_" + strings.ToUpper(digits), "cm_live_cm_test_" + digits, "", "cm_live_", " cm_live_" + digits, "cm_live_" + digits + "\n",
	} {
		f.Add(seed)
	}
	form := regexp.MustCompile(`\Acm_(live|test)_[0-9a-f]{48}\z`)
	f.Fuzz(func(t *testing.T, text string) {
		live, ok := secret.ParseAPIKey(text)
		require.Equal(t, form.MatchString(text), ok, "%q", text)
		require.Equal(t, ok && strings.HasPrefix(text, secret.LiveKeyPrefix), live, "%q", text)
		require.True(t, secret.Equal(secret.HashAPIKey(text), secret.HashAPIKey(text)))
	})
}
