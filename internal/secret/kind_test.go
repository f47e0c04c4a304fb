package secret_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// Every place must be in the list of kinds, because otherwise its data would be
// refused where each kind has its own keys.
func TestEveryPlaceIsOfAKind(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("places.go")
	require.NoError(t, err)
	var places, tested []string
	for _, m := range regexp.MustCompile(`Place = "([a-z_]+\.[a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		places = append(places, m[1])
	}
	slices.Sort(places)
	require.Len(t, slices.Compact(slices.Clone(places)), len(places), "each place is there once")
	for _, p := range everyPlace() {
		tested = append(tested, p.ad.Table+"."+p.ad.Column)
		_, known := secret.KindOf(p.ad)
		require.True(t, known, "%v", p.ad)
	}
	slices.Sort(tested)
	require.Equal(t, places, tested, "what was sealed at each place is opened in a test")
}

// No other file defines a place, because two files that define it differently could not
// open each other's data.
func TestPlacesAreNamedOnce(t *testing.T) {
	t.Parallel()
	read := 0
	for _, folder := range []string{"activities", "api", "cmd", "internal", "worker", "workflows"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			read++
			for _, names := range []string{"secret.AD{", "secret.Place("} {
				require.NotContains(t, string(source), names, "%s: internal/secret/places.go names places", path)
			}
			return nil
		}))
	}
	require.Greater(t, read, 100)
}
