package secret_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

func TestInvites(t *testing.T) {
	t.Parallel()
	invite := secret.NewInvite()
	require.True(t, secret.IsInvite(invite))
	require.NotEqual(t, invite, secret.NewInvite())
	for _, bad := range []string{"", "inv_", invite[1:], invite + "0", invite[:len(invite)-1], strings.ToUpper(invite), " " + invite, secret.NewAPIKey(true)} {
		require.False(t, secret.IsInvite(bad), bad)
	}
}

// FuzzIsInvite: every accepted text has the form of an invite.
func FuzzIsInvite(f *testing.F) {
	f.Add(secret.NewInvite())
	f.Add("inv_")
	f.Fuzz(func(t *testing.T, text string) {
		if secret.IsInvite(text) {
			require.Regexp(t, `\Ainv_[0-9a-f]{48}\z`, text)
		}
	})
}
