package deploy_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheServerInDevelopmentIsThatOfProduction checks that make up engine=server runs the
// released version.
func TestTheServerInDevelopmentIsThatOfProduction(t *testing.T) {
	t.Parallel()
	built := regexp.MustCompile(`go\.temporal\.io/server v(\S+)`).FindStringSubmatch(read(t, "../tools/temporal-server/go.mod"))
	require.NotNil(t, built)
	require.Contains(t, read(t, "../docker-compose.yml"), "image: temporalio/server:"+built[1]+"@")
	require.Contains(t, read(t, "../docker-compose.yml"), "image: temporalio/admin-tools:"+built[1]+"@")
}
