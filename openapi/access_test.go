package openapi_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/operation"
)

// TestEveryRouteNeedsWhatItsRowSays compares the credential, the permission, the rate limit and
// the conditions of every route with testdata/routes.txt. A row changes only with the decision to
// let a caller do more or less.
func TestEveryRouteNeedsWhatItsRowSays(t *testing.T) {
	t.Parallel()
	var rows []string
	for surface, doc := range map[string]*huma.OpenAPI{"merchant": document(), "greenfield": greenfieldDocument(), "swap": swapDocument()} {
		for _, item := range doc.Paths {
			for _, op := range operations(item) {
				if r, is := op.Metadata["route"].(operation.Route); is {
					rows = append(rows, surface+" "+rowOf(r))
				}
			}
		}
	}
	slices.Sort(rows)
	want, err := os.ReadFile("testdata/routes.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), strings.Join(rows, "\n")+"\n")
}

// rowOf writes a route as a line: its identifier, then each thing that it needs.
func rowOf(r operation.Route) string {
	needs := []string{fmt.Sprintf("%s: %s", r.At, r.ID), "guard=" + r.Guard, fmt.Sprintf("credentials=%q", r.Credentials)}
	for name, value := range map[string]string{"permission": string(r.Permission), "limit": string(r.Limit)} {
		if value != "" {
			needs = append(needs, name+"="+value)
		}
	}
	flags := map[string]bool{
		"recent": r.Recent, "nocode": r.NoCode, "knocks": r.Knocks, "reads": r.Reads, "unrecorded": r.Unrecorded, "confirmed": r.Confirmed, "slow": r.Slow, "form": r.Form != nil,
	}
	maps.DeleteFunc(flags, func(_ string, set bool) bool { return !set })
	slices.Sort(needs[3:])
	return strings.Join(append(needs, slices.Sorted(maps.Keys(flags))...), " ")
}
