package jsonrpc_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/jsonrpc"
)

var errAnswer = errors.New("unexpected answer")

// TestBatchKeepsItsOrder reads the answers of a batch, which a process may give in
// any order, and refuses answers that do not belong to its calls.
func TestBatchKeepsItsOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer  string
		refused []int
	}{
		"in order":       {`[{"id":0,"result":true},{"id":1,"error":{"code":-8,"message":"spent"}}]`, []int{0, -8}},
		"out of order":   {`[{"id":1,"error":{"code":-8,"message":"spent"}},{"id":0,"result":true}]`, []int{0, -8}},
		"one is missing": {`[{"id":0,"result":true}]`, nil},
		"one is twice":   {`[{"id":0,"result":true},{"id":0,"result":true}]`, nil},
		"another's":      {`[{"id":0,"result":true},{"id":2,"result":true}]`, nil},
		"no list":        {`{"id":0,"result":true}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, test.answer)
			}))
			defer server.Close()
			c := jsonrpc.New(jsonrpc.Process{Name: "test", URL: server.URL, HTTP: server.Client(), Response: errAnswer}, jsonrpc.Options{})
			got, err := c.Batch(t.Context(), jsonrpc.Call{Method: "lock"}, "/", []any{"a", "b"})
			if test.refused == nil {
				require.ErrorIs(t, err, errAnswer)
				return
			}
			require.NoError(t, err)
			for i, code := range test.refused {
				if code == 0 {
					require.NoError(t, got[i])
					continue
				}
				var refused *jsonrpc.MethodError
				require.ErrorAs(t, got[i], &refused)
				require.Equal(t, code, refused.Code)
			}
		})
	}
}
