package desk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryRefusalHasItsText also checks that a pattern matches only the API's whole text.
func TestEveryRefusalHasItsText(t *testing.T) {
	t.Parallel()
	require.Greater(t, len(refusals), 35)
	for _, r := range refusals {
		require.NotEmpty(t, Catalogues()[0].Texts[r.Text], r.Text)
		require.False(t, r.pattern.MatchString("not of the API"), r.Text)
	}
}
