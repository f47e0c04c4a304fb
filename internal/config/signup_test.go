package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestLimitsOfHostileClients(t *testing.T) { //nolint:paralleltest // the environment
	setRequired(t)
	c, err := config.Load()
	require.NoError(t, err)
	require.Equal(t, config.SignUpInvite, c.SignUp)
	require.EqualValues(t, 10_000, c.PendingCharges)
	require.Equal(t, 3, c.AffiliateKeys)
	require.Equal(t, 90*24*time.Hour, c.AffiliateKeyUnused.Duration())
	for name, values := range map[string]map[string]bool{
		"SIGNUP":                       {"open": true, "invite": true, "closed": true, "Open": false, "off": false, "open,invite": false},
		"PENDING_CHARGES_PER_MERCHANT": {"1": true, "0": false, "-1": false, "x": false},
		"AFFILIATE_KEYS_PER_DAY":       {"1": true, "0": false, "1.5": false},
		"AFFILIATE_KEY_UNUSED_DAYS":    {"1": true, "0.9": false, "0": false},
	} {
		for value, good := range values {
			setRequired(t)
			t.Setenv(name, value)
			_, err := config.Load()
			require.Equal(t, good, err == nil, "%s=%s: %v", name, value, err)
		}
	}
}
