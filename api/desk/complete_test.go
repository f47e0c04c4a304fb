package desk_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
)

// placeholder stands for an argument in a text.
var placeholder = regexp.MustCompile(`\{([1-9])\}`)

// TestCataloguesAreComplete checks the catalogues of the desk, and of the public pages.
func TestCataloguesAreComplete(t *testing.T) {
	t.Parallel()
	require.Len(t, desk.Catalogues(), len(pages.Catalogues()), "the desk speaks the languages of the pages")
	complete(t, desk.Catalogues())
	complete(t, pages.Catalogues())
}

// complete checks that every catalogue has exactly the texts of the first one, in every plural
// form of its language, with the same arguments. A failure lists the missing texts.
func complete(t *testing.T, all []kit.Catalogue) {
	t.Helper()
	first := all[0].Texts
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			expected := map[string][]string{}
			for id, text := range first {
				bare, counted := isCounted(id)
				if !counted {
					expected[id] = arguments(text)
					continue
				}
				for form := range pluralForms(c.Tag) {
					expected[bare+"."+form] = arguments(first[bare+".other"])
				}
			}
			var missing, other, needless []string
			for id, args := range expected {
				text := c.Texts[id]
				_, counted := isCounted(id)
				// The forms for one and two may use words instead of the number.
				inWords := counted && !strings.HasSuffix(id, ".other") && len(arguments(text)) < len(args)
				if text == "" {
					missing = append(missing, id)
				} else if !inWords && !slices.Equal(args, arguments(text)) {
					other = append(other, id)
				}
			}
			for id := range c.Texts {
				if expected[id] == nil {
					needless = append(needless, id)
				}
			}
			require.Empty(t, missing, "texts that this catalogue lacks")
			require.Empty(t, other, "texts with other arguments than those of the first catalogue")
			require.Empty(t, needless, "texts, or plural forms, that there are not")
		})
	}
}

// isCounted returns the id without its plural form, and whether it had one.
func isCounted(id string) (string, bool) {
	for _, form := range []string{".zero", ".one", ".two", ".few", ".many", ".other"} {
		if bare, found := strings.CutSuffix(id, form); found {
			return bare, true
		}
	}
	return id, false
}

// pluralForms returns the plural forms of whole numbers in a language, and other.
func pluralForms(tag language.Tag) map[string]bool {
	forms := map[string]bool{"other": true}
	for _, n := range []int{1_000_000, 2_000_000} {
		forms[kit.PluralForm(tag, n)] = true
	}
	for n := range 1000 {
		forms[kit.PluralForm(tag, n)] = true
	}
	return forms
}

// arguments returns the distinct arguments in a text, in order.
func arguments(text string) []string {
	found := append([]string{}, placeholder.FindAllString(text, -1)...)
	slices.Sort(found)
	return slices.Compact(found)
}
