package pages

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

// used matches a message id in a template or in code.
var used = regexp.MustCompile(`(?:Text|Count) ?\(?"([a-z_.]+)"`)

// TestEveryMessageHasAText holds each language to the messages that templates
// and code ask for by name.
func TestEveryMessageHasAText(t *testing.T) {
	t.Parallel()
	ids := usedIDs(t)
	require.Greater(t, len(ids), 30)
	for _, c := range catalogues() {
		for id := range ids {
			_, plain := c.texts[id]
			_, counted := c.texts[id+".other"]
			require.True(t, plain || counted, "%s lacks %s", c.tag, id)
		}
		for name, view := range views() {
			id := string(stageOf(view))
			require.Contains(t, c.texts, id+".title", name)
			require.Contains(t, c.texts, id+".detail", name)
		}
	}
}

// TestEveryTextIsUsed finds texts that nothing shows any more.
func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	source := allSource(t)
	for id := range english() {
		id, _ := countedID(id)
		stage, _, _ := strings.Cut(id, ".")
		family := stage == "field" || stage == "month" || strings.Contains(source, `stage = "`+stage+`"`)
		require.True(t, family || strings.Contains(source, `"`+id+`"`), id)
	}
}

// TestEveryCatalogueIsComplete tells whoever adds a text or a language what is
// missing: every catalogue has the texts of the English one and no others, in
// every plural form of its language, and fills in the same arguments.
func TestEveryCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	for _, c := range catalogues() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wanted := map[string][]string{}
			for id, text := range english() {
				bare, counted := countedID(id)
				if !counted {
					wanted[id] = arguments(text)
					continue
				}
				for form := range pluralForms(c.tag) {
					wanted[bare+"."+form] = arguments(english()[bare+".other"])
				}
			}
			var missing, other, needless []string
			for id, args := range wanted {
				text := c.texts[id]
				_, counted := countedID(id)
				// One and two may be said in words.
				inWords := counted && !strings.HasSuffix(id, ".other") && len(arguments(text)) < len(args)
				if text == "" {
					missing = append(missing, id)
				} else if !inWords && !slices.Equal(args, arguments(text)) {
					other = append(other, id)
				}
			}
			for id := range c.texts {
				if wanted[id] == nil {
					needless = append(needless, id)
				}
			}
			require.Empty(t, missing, "texts that this catalogue lacks")
			require.Empty(t, other, "texts with other arguments than the English ones")
			require.Empty(t, needless, "texts, or plural forms, that there are not")
		})
	}
}

// TestTitlesHaveNoWordsThatAreBroken: on a phone a title is about 16
// characters wide, and a longer word would be cut anywhere.
func TestTitlesHaveNoWordsThatAreBroken(t *testing.T) {
	t.Parallel()
	titles := 0
	for _, c := range catalogues() {
		for id, text := range c.texts {
			if !strings.HasSuffix(id, ".title") {
				continue
			}
			for word := range strings.FieldsSeq(text) {
				require.LessOrEqual(t, utf8.RuneCountInString(word), 16, "%s: %s", c.name, word)
			}
			titles++
		}
	}
	require.Greater(t, titles, 50)
}

// countedID is the id without the plural form that it ends in, if it does.
func countedID(id string) (string, bool) {
	for _, form := range []string{".zero", ".one", ".two", ".few", ".many", ".other"} {
		if bare, found := strings.CutSuffix(id, form); found {
			return bare, true
		}
	}
	return id, false
}

// pluralForms are the forms that whole numbers take in a language, and other.
func pluralForms(tag language.Tag) map[string]bool {
	forms := map[string]bool{"other": true}
	for _, n := range []int{1_000_000, 2_000_000} {
		forms[pluralForm(tag, n)] = true
	}
	for n := range 1000 {
		forms[pluralForm(tag, n)] = true
	}
	return forms
}

// arguments are the numbers of the arguments in a text, in order.
func arguments(text string) []string {
	found := append([]string{}, placeholder.FindAllString(text, -1)...)
	slices.Sort(found)
	return slices.Compact(found)
}

func TestNumbersTakeTheirPluralForm(t *testing.T) {
	t.Parallel()
	all := newLanguages(catalogues(), parseTemplates())
	for code, want := range map[string]map[int]string{
		"en": {0: "0 minutes", 1: "1 minute", 2: "2 minutes"},
		"de": {0: "0 Minuten", 1: "1 Minute", 2: "2 Minuten"},
		"es": {0: "0 minutos", 1: "1 minuto", 2: "2 minutos"},
		"fr": {0: "0 minute", 1: "1 minute", 2: "2 minutes"},
		"ru": {1: "1 минута", 2: "2 минуты", 5: "5 минут", 11: "11 минут", 21: "21 минута", 22: "22 минуты", 112: "112 минут"},
		"ar": {1: "دقيقة واحدة", 2: "دقيقتين", 3: "\u20683\u2069 دقائق", 11: "\u206811\u2069 دقيقة", 100: "\u2068100\u2069 دقيقة"},
	} {
		for n, text := range want {
			require.Equal(t, text, all.byCode[code].Count("span.minutes", n), code)
		}
	}
}

func TestDatesReadAsTheLanguageWritesThem(t *testing.T) {
	t.Parallel()
	all := newLanguages(catalogues(), parseTemplates())
	first := time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC)
	for code, want := range map[string]string{
		"en": "1 March 2026, 09:05 UTC", "de": "1. März 2026, 09:05 UTC", "es": "1 de marzo de 2026, 09:05 UTC",
		"fr": "1er mars 2026, 09:05 UTC", "ru": "1 марта 2026 г., 09:05 UTC",
		"ar": "\u20681\u2069 \u2068مارس\u2069 \u20682026\u2069، \u206809:05 UTC\u2069",
	} {
		require.Equal(t, want, all.byCode[code].moment(first, testNow))
		require.Equal(t, "13:53 UTC", all.byCode[code].moment(testNow, testNow))
	}
}

func usedIDs(t *testing.T) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, match := range used.FindAllStringSubmatch(allSource(t), -1) {
		if !strings.HasSuffix(match[1], ".") {
			ids[match[1]] = true
		}
	}
	return ids
}

// allSource is the text of the templates and of the code without tests and
// catalogues.
func allSource(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	add := func(content []byte, err error) {
		require.NoError(t, err)
		all.Write(content)
	}
	names, err := fs.Glob(templateFiles, "templates/*.html")
	require.NoError(t, err)
	for _, name := range names {
		add(templateFiles.ReadFile(name))
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "texts_") {
			add(os.ReadFile(name))
		}
	}
	return all.String()
}
