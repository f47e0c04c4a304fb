package swap_test

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The identifier of a trade is in workflow IDs and links. A client that knows it can read the
// trade but cannot change it.
func TestATradesIdentifierChangesNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../openapi/swap.yaml")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &document))
	var taking []string
	for path, operations := range document.Paths {
		for method, operation := range operations {
			for _, parameter := range operation.Parameters {
				if slices.Contains([]string{"id", "trade_id", "tradeId"}, parameter.Name) {
					taking = append(taking, method+" "+path)
				}
			}
		}
	}
	// new_trade calls a quote's identifier id and ignores it.
	require.ElementsMatch(t, []string{"get /api/v1/trade", "get /api/v1/new_trade"}, taking)
}
