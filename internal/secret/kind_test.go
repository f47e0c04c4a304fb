package secret_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// Every place that the code seals at is of a kind: one that is not in the list
// would be refused where each kind has its own keys.
func TestEveryPlaceIsOfAKind(t *testing.T) {
	t.Parallel()
	place := regexp.MustCompile(`AD\{Table: "([a-z_]+)", Column: "([a-z_]+)"`)
	found := 0
	for _, folder := range []string{"activities", "api", "cmd", "internal"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			for _, m := range place.FindAllStringSubmatch(string(source), -1) {
				found++
				_, known := secret.KindOf(secret.AD{Table: m[1], Column: m[2], ID: "x"})
				require.True(t, known, "%s seals at %s.%s: say in internal/secret/kind.go whose keys these are", path, m[1], m[2])
			}
			return nil
		}))
	}
	require.Greater(t, found, 20)
}
