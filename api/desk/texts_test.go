package desk_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
)

// TestEveryTextIsThere checks that the first catalogue has every text that the code names. For
// an id that the code builds from a prefix and a value, the catalogue must have ids with that
// prefix.
func TestEveryTextIsThere(t *testing.T) {
	t.Parallel()
	texts := desk.Catalogues()[0].Texts
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	named := regexp.MustCompile(`\b(?:v\.t|v\.text|v\.decimal|v\.secretField|Count|add|v\.choice|button|v\.fact|v\.byValue|v\.removes|v\.oneOf|table)\(([^)\n]*)`)
	heading := regexp.MustCompile(`\{("[a-z_.]+"), (?:func\(|v\.|says\(|leads\(|both\(|of\()`)
	quoted := regexp.MustCompile(`"([a-z_]+(?:\.[a-zA-Z_]+)*\.?)"( ?\+)?`)
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, call := range slices.Concat(named.FindAllStringSubmatch(string(code), -1), heading.FindAllStringSubmatch(string(code), -1)) {
			for _, id := range quoted.FindAllStringSubmatch(call[1], -1) {
				switch {
				case !strings.Contains(id[1], "."):
				case strings.HasSuffix(id[1], "."), strings.HasSuffix(id[1], "_"):
					require.True(t, hasBeginning(texts, id[1]), "%s: %s", file, id[1])
					checked++
				default:
					_, one := texts[id[1]]
					require.True(t, one || texts[id[1]+".other"] != "", "%s: %s", file, id[1])
					checked++
				}
			}
		}
	}
	require.Greater(t, checked, 200)
}

func hasBeginning(texts map[string]string, beginning string) bool {
	for id := range texts {
		if strings.HasPrefix(id, beginning) {
			return true
		}
	}
	return false
}

func TestTheDeskAndThePagesOfCustomersCallTheSandboxTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range desk.Catalogues() {
		name := strings.ToLower(c.Texts["sandbox.label"])
		require.Contains(t, strings.ToLower(c.Texts["home.sandbox"]), name, c.Name)
		require.True(t, strings.HasPrefix(strings.ToLower(c.Texts["sandbox"]), name), c.Name)
	}
}

// TestNoTextAsksForAPoint holds because amounts may be typed with a comma, too.
func TestNoTextAsksForAPoint(t *testing.T) {
	t.Parallel()
	point := regexp.MustCompile(`(?i)\b(point|punkt|punto)\b|точк|نقطة`)
	for _, c := range desk.Catalogues() {
		for _, id := range []string{"button.wrong_amount", "claim.wrong_amount", "refused.amount", "refused.amount_decimals", "refused.refund_amount"} {
			require.NotEmpty(t, c.Texts[id])
			require.NotRegexp(t, point, c.Texts[id], c.Name)
		}
	}
}
