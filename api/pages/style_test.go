package pages

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/pages/kit"
)

// TestColoursCanBeRead checks the contrast of text (4.5:1) and of marks and edges (3:1)
// against their background, in the light and in the dark scheme.
func TestColoursCanBeRead(t *testing.T) {
	t.Parallel()
	light, dark := palettes(t)
	for name, palette := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, pair := range []struct {
			ink, ground string
			least       float64
		}{
			{"text", "ground", 4.5}, {"text", "card", 4.5}, {"text", "field", 4.5},
			{"quiet", "ground", 4.5}, {"quiet", "card", 4.5},
			{"accent", "card", 4.5}, {"button-text", "button", 4.5}, {"button-text", "button-over", 4.5},
			{"calm", "calm-ground", 4.5}, {"good", "good-ground", 4.5}, {"warn", "warn-ground", 4.5},
			{"ended", "ended-ground", 4.5}, {"text", "calm-ground", 4.5}, {"text", "good-ground", 4.5},
			{"text", "warn-ground", 4.5}, {"text", "ended-ground", 4.5}, {"warn", "card", 4.5},
			{"banner-text", "banner", 4.5}, {"card", "good", 4.5},
			{"quiet", "field", 4.5}, {"good", "field", 4.5}, {"warn", "field", 4.5}, {"good", "card", 4.5},
			{"accent-mark", "card", 3}, {"edge", "card", 3}, {"edge", "field", 3},
		} {
			ratio := contrast(t, palette[pair.ink], palette[pair.ground])
			require.GreaterOrEqual(t, ratio, pair.least, "%s: %s on %s", name, pair.ink, pair.ground)
		}
	}
}

// TestALesserButtonCanBeReadUnderThePointer: of two rules of one weight the later counts.
func TestALesserButtonCanBeReadUnderThePointer(t *testing.T) {
	t.Parallel()
	css := string(kit.LoadAssets().Style.Content)
	require.Greater(t, strings.Index(css, ".lesser:hover {"), strings.Index(css, ".button:hover {"))
}

var custom = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)

func palettes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	first, rest, found := strings.Cut(string(kit.LoadAssets().Style.Content), "@media (prefers-color-scheme: dark)")
	require.True(t, found)
	rest, _, found = strings.Cut(rest, "@media print") // black on white
	require.True(t, found)
	light, dark = colours(first), colours(rest)
	require.Len(t, dark, len(light))
	return light, dark
}

func colours(css string) map[string]string {
	found := map[string]string{}
	for _, m := range custom.FindAllStringSubmatch(css, -1) {
		found[m[1]] = m[2]
	}
	return found
}

// contrast returns the ratio of WCAG 2, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	require.Len(t, colour, 7)
	weights := []float64{0.2126, 0.7152, 0.0722}
	sum := 0.0
	for i, weight := range weights {
		n, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.03928 {
			sum += weight * c / 12.92
		} else {
			sum += weight * math.Pow((c+0.055)/1.055, 2.4)
		}
	}
	return sum
}
