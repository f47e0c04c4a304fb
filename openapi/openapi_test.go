package openapi_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/postgres"
)

func TestDocumentsAreCurrent(t *testing.T) {
	t.Parallel()
	fresh := t.TempDir()
	require.NoError(t, merchant.WriteOpenAPI(fresh))
	require.NoError(t, swap.WriteOpenAPI(fresh))
	require.NoError(t, greenfield.WriteOpenAPI(fresh))
	for _, name := range []string{"merchant.yaml", "merchant-3.0.yaml", "greenfield.yaml", "greenfield-3.0.yaml", "swap.yaml", "swap-3.0.yaml"} {
		want, err := os.ReadFile(filepath.Join(fresh, name))
		require.NoError(t, err)
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "run: make openapi")
	}
}

// pages matches routes for people, not programs.
var pages = regexp.MustCompile(`^/(pay|button|api-keys|verify-email|reset-password|end-access|notices|refund|operator|docs|static|affiliate|favicon\.ico|llms\.txt|i|invoices|modal)(/|$)`)

// dialect matches the exchange's second surface. Its format is defined by aggregators and not
// described in our documents.
var dialect = regexp.MustCompile(`^(/en/api|/api)?/(coins?|exchanges|validateaddress|new_rate|new_trade|trade)/?$|^/images/`)

func TestDocumentsListEveryRouteAndNoOther(t *testing.T) {
	t.Parallel()
	ofMerchants, err := merchant.NewHandler(merchant.Deps{JWTSecret: []byte(strings.Repeat("k", 32)), Clock: time.Now})
	require.NoError(t, err)
	requireRoutes(t, ofMerchants, document(), greenfieldDocument())
	ofSwaps, err := swap.NewHandler(swap.Deps{Clock: time.Now, Store: &postgres.Store{}})
	require.NoError(t, err)
	requireRoutes(t, ofSwaps, swapDocument())
}

func requireRoutes(t *testing.T, handler http.Handler, docs ...*huma.OpenAPI) {
	t.Helper()
	served := map[string]bool{}
	require.NoError(t, chi.Walk(handler.(chi.Routes), func(method, path string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodHead && !pages.MatchString(path) && !dialect.MatchString(path) {
			served[method+" "+path] = true
		}
		return nil
	}))
	documented := map[string]bool{}
	for _, doc := range docs {
		for path, item := range doc.Paths {
			for method := range operations(item) {
				documented[method+" "+path] = true
			}
		}
	}
	require.Equal(t, served, documented)
}

func TestEveryOperationIsComplete(t *testing.T) {
	t.Parallel()
	requireComplete(t, document(), "400", "#/components/schemas/Error")
	requireComplete(t, swapDocument(), "400", "#/components/schemas/Error")
	requireComplete(t, greenfieldDocument(), "422", "#/components/schemas/Refusal")
}

// requireComplete checks a document: requests with an invalid body have the status badBody,
// and errors have one schema. The exception is 422, which lists fields.
func requireComplete(t *testing.T, doc *huma.OpenAPI, badBody, errorSchema string) {
	t.Helper()
	seen := map[string]bool{}
	for path, item := range doc.Paths {
		for method, op := range operations(item) {
			name := method + " " + path
			require.NotEmpty(t, op.OperationID, name)
			require.False(t, seen[op.OperationID], "%s: its ID is not unique", name)
			seen[op.OperationID] = true
			require.NotEmpty(t, op.Summary, name)
			require.NotEmpty(t, op.Description, name)
			require.NotEmpty(t, op.Tags, name)
			require.NotNil(t, op.Security, name)
			require.True(t, op.Responses["200"] != nil || op.Responses["201"] != nil, name)
			if op.RequestBody != nil {
				require.NotNil(t, op.RequestBody.Content["application/json"].Example, name)
				require.Contains(t, op.Responses, badBody, name)
			}
			for status, response := range op.Responses {
				require.NotEmpty(t, response.Description, "%s %s", name, status)
				if content := response.Content["application/json"]; status >= "400" && content != nil && status != "503" && status != "422" {
					require.Equal(t, errorSchema, content.Schema.Ref, "%s %s", name, status)
				}
			}
		}
	}
}

func swapDocument() *huma.OpenAPI { return swap.API(swap.Deps{}).OpenAPI() }

func greenfieldDocument() *huma.OpenAPI { return greenfield.API("").OpenAPI() }

func document() *huma.OpenAPI { return merchant.API(merchant.Deps{}).OpenAPI() }

func operations(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{}
	for method, op := range map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put,
		http.MethodDelete: item.Delete, http.MethodPatch: item.Patch,
	} {
		if op != nil {
			all[method] = op
		}
	}
	return all
}
