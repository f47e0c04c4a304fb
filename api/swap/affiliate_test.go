package swap_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAffiliateKeyFromThePage(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	page := b.call(t, http.MethodGet, "/affiliate")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.header.Get("Content-Type"), "text/html")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, page.body, "<script")
	require.NotRegexp(t, `aff_[0-9a-f]`, page.body, "looking makes no key")
	made := b.call(t, http.MethodPost, "/affiliate")
	require.Equal(t, http.StatusOK, made.status, made.body)
	require.Equal(t, "no-store", made.header.Get("Cache-Control"))
	key := regexp.MustCompile(`aff_[0-9a-f]{48}`).FindString(made.body)
	require.NotEmpty(t, key)
	require.Equal(t, http.StatusOK, b.get(t, "new_rate", asked("markup", "300"), with("API-Key", key)).status)
	b.get(t, "new_rate", asked("markup", "301"), with("API-Key", key)).requireError(t, 400, "invalid_parameter")
	other := b.call(t, http.MethodPost, "/affiliate")
	require.NotContains(t, other.body, key)
}
