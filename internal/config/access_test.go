package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

func TestAccessSettings(t *testing.T) {
	standard := config.Access{StepUp: true, PayoutAddressHold: 24 * time.Hour, AdminListeners: config.AdminInternal}
	for name, c := range map[string]struct {
		set     map[string]string
		want    config.Access
		refused string
	}{
		"nothing set": {nil, standard, ""},
		"all set": {
			map[string]string{"STEP_UP": "off", "PAYOUT_ADDRESS_HOLD": "720h", "ADMIN_LISTENERS": "public"},
			config.Access{PayoutAddressHold: 720 * time.Hour, AdminListeners: config.AdminPublic}, "",
		},
		"a hold below zero":   {map[string]string{"PAYOUT_ADDRESS_HOLD": "-1ns"}, standard, "PAYOUT_ADDRESS_HOLD"},
		"a hold too long":     {map[string]string{"PAYOUT_ADDRESS_HOLD": "720h0m1s"}, standard, "PAYOUT_ADDRESS_HOLD"},
		"a hold without unit": {map[string]string{"PAYOUT_ADDRESS_HOLD": "24"}, standard, "PayoutAddressHold"},
		"another switch":      {map[string]string{"STEP_UP": "true"}, standard, "StepUp"},
		"another listener":    {map[string]string{"ADMIN_LISTENERS": "onion"}, standard, "AdminListeners"},
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
			require.Equal(t, c.want, loaded.Access)
		})
	}
}
