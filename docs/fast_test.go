package docs_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// starters are the packages by which tests start a server or a browser.
func starters() []string {
	return []string{"deploy/dev/stack", "deploy/dev/temporaltest", "internal/browsertest", "internal/pgtest"}
}

var needServers = regexp.MustCompile(`(?m)^NEED_SERVERS := ((?:.*\\\n)*.*)$`)

// TestFastTestsAreAllThatStartNothing compares the packages that make test-fast
// leaves out with those whose tests start a server. So a fast package is run by
// it without anybody's doing, and one that begins to start a server is seen.
func TestFastTestsAreAllThatStartNothing(t *testing.T) {
	t.Parallel()
	list := needServers.FindStringSubmatch(read(t, "../Makefile"))
	require.NotNil(t, list, "the Makefile has no NEED_SERVERS")
	left := strings.Fields(strings.ReplaceAll(list[1], "\\\n", " "))
	for _, name := range left {
		if needs, _ := starts(t, name); !needs {
			t.Errorf("tests of %s start no server: take it out of NEED_SERVERS in the Makefile", name)
		}
	}
	for _, name := range packages(t) {
		if needs, short := starts(t, name); needs && !short && !slices.Contains(left, name) {
			t.Errorf("tests of %s start a server: put it into NEED_SERVERS in the Makefile, or leave them out with testing.Short", name)
		}
	}
}

// starts says whether the tests of a package import what starts a server, or
// belong to it, and whether some are left out when tests have to be short.
func starts(t *testing.T, name string) (needs, short bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", name, "*_test.go"))
	require.NoError(t, err)
	needs = len(files) > 0 && slices.Contains(starters(), name)
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			path, ours := strings.CutPrefix(path, "github.com/durapay/durapay/")
			needs = needs || ours && slices.Contains(starters(), path)
		}
		short = short || strings.Contains(read(t, file), "testing.Short()")
	}
	return needs, short
}
