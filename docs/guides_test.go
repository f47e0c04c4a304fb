package docs_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// label matches words in italics that begin with a capital: the name of a page or a button.
	label    = regexp.MustCompile(`(?:^|[^*])\*(\p{Lu}[^*\n]*)\*`)
	variable = regexp.MustCompile(`\$([A-Z][A-Z_]+)`)
)

// TestGuidesNameWhatMerchantsSee compares the pages and buttons that merchants' guides name with
// the texts of pages, and the variables of their commands with one list, so that the commands can
// be pasted in order.
func TestGuidesNameWhatMerchantsSee(t *testing.T) {
	t.Parallel()
	var shown []string
	for _, file := range []string{"../api/desk/texts/en.json", "../api/pages/texts/en.json"} {
		var texts map[string]any
		require.NoError(t, json.Unmarshal([]byte(read(t, file)), &texts))
		for _, text := range texts {
			if text, ok := text.(string); ok {
				shown = append(shown, text)
			}
		}
	}
	variables := []string{"MERCHANT_URL", "TOKEN", "KEY", "TEST_KEY", "MERCHANT_ID", "CHARGE", "WEBHOOK", "REQUEST", "NEXT", "QUOTE", "SWAP"}
	guides, err := filepath.Glob("merchant/*.md")
	require.NoError(t, err)
	named := 0
	for _, guide := range guides {
		text := read(t, guide)
		for _, found := range label.FindAllStringSubmatch(text, -1) {
			for name := range strings.SplitSeq(found[1], ", ") {
				require.True(t, slices.Contains(shown, name), "%s: %s", guide, name)
				named++
			}
		}
		for _, found := range variable.FindAllStringSubmatch(text, -1) {
			require.True(t, slices.Contains(variables, found[1]), "%s: %s", guide, found[0])
		}
	}
	require.Greater(t, named, 10)
}
