package swap_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/telemetry"
)

// TestReadinessIsAsDocumented checks that the answer names the failing part without the
// reason, and has the documented format, ready or not.
func TestReadinessIsAsDocumented(t *testing.T) {
	t.Parallel()
	doc := swap.API(swap.Deps{}).OpenAPI()
	for status, wallet := range map[int]error{http.StatusOK: nil, http.StatusServiceUnavailable: errors.New("dial tcp 10.0.0.7:5432")} {
		b := setup(t, nil, func(d *swap.Deps) {
			d.Ready = telemetry.NewReadiness(map[string]telemetry.Check{
				"wallet": func(context.Context) error { return wallet }, "price": func(context.Context) error { return nil },
			}, time.Now, slog.New(slog.DiscardHandler))
		})
		a := b.call(t, http.MethodGet, "/readyz")
		require.Equal(t, status, a.status, a.body)
		require.NotContains(t, a.body, "10.0.0.7")
		response := doc.Paths["/readyz"].Get.Responses[map[int]string{200: "200", 503: "503"}[status]]
		found := &huma.ValidateResult{}
		huma.Validate(doc.Components.Schemas, response.Content["application/json"].Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, a.object(t), found)
		require.Empty(t, found.Errors, a.body)
		if wallet != nil {
			require.Equal(t, "not ready: wallet", a.object(t)["error"])
		}
	}
}
