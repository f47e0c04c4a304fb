package limits

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

// TestTheFormOfAPasswordHashesAsItsClient: behind one client's burst others
// would wait for all of it.
func TestTheFormOfAPasswordHashesAsItsClient(t *testing.T) {
	t.Parallel()
	var client string
	pages := (&Limits{}).CountGuess(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { client = account.ClientOf(r.Context()) }))
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		r := httptest.NewRequest(http.MethodPost, account.ResetPath+"x", nil)
		r.RemoteAddr = address + ":1"
		pages.ServeHTTP(httptest.NewRecorder(), r)
		require.Equal(t, address, client)
	}
}
