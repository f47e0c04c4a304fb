package funds

import (
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/report"
)

// failing yields the given number of transactions and then an error.
func failing(after int) iter.Seq2[report.Transaction, error] {
	return func(yield func(report.Transaction, error) bool) {
		for range after {
			if !yield(report.Transaction{}, nil) {
				return
			}
		}
		yield(report.Transaction{}, errors.New("the database is away"))
	}
}

func TestReportsThatFailAreNotTakenForWhole(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	h := &Reports{Errors: httpapi.Errors{Log: log}, Log: log}
	for _, format := range []string{formatJSON, formatCSV} {
		for _, after := range []int{0, 1, 10_000} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.streamReport(report.Span{}, format, true, failing(after)).Body(humachi.NewContext(&huma.Operation{}, r, w))
			}))
			defer server.Close()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			require.NoError(t, err)
			res, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			body, err := io.ReadAll(res.Body)
			require.NoError(t, res.Body.Close())
			if after == 10_000 {
				require.Error(t, err, "the connection is broken off")
				continue
			}
			require.NoError(t, err)
			require.Equal(t, http.StatusInternalServerError, res.StatusCode)
			require.Equal(t, httpapi.JSON, res.Header.Get("Content-Type"))
			require.Empty(t, res.Header.Get("Content-Disposition"))
			require.Equal(t, "{\"error\":\"internal error\"}\n", string(body))
		}
	}
}
