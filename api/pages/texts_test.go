package pages

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
		stage, _, _ := strings.Cut(id, ".")
		family := strings.HasPrefix(id, "field.") || strings.Contains(source, `stage = "`+stage+`"`)
		bare := strings.TrimSuffix(strings.TrimSuffix(id, ".one"), ".other")
		require.True(t, family || strings.Contains(source, `"`+bare+`"`), id)
	}
}

// TestLanguagesHaveTheSameMessages keeps translations complete.
func TestLanguagesHaveTheSameMessages(t *testing.T) {
	t.Parallel()
	for _, c := range catalogues() {
		for id := range english() {
			if !strings.HasSuffix(id, ".one") {
				require.Contains(t, c.texts, id, c.tag)
			}
		}
	}
}

func TestLanguageFollowsTheReader(t *testing.T) {
	t.Parallel()
	mirrored := catalogue{tag: language.Hebrew, dir: "rtl", texts: texts{"n.one": "{1}!", "n.two": "two", "n.other": "{1}…"}}
	known := newLanguages(append(catalogues(), mirrored))
	for header, lang := range map[string]string{"": "en", "he-IL,en;q=0.5": "he", "fr": "en", "en-GB": "en", "nonsense;;": "en"} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept-Language", header)
		require.Equal(t, lang, known.of(r).Lang(), header)
	}
	he := translator{mirrored}
	require.Equal(t, "rtl", he.Dir())
	require.Equal(t, []string{"1!", "two", "7…"}, []string{he.Count("n", 1), he.Count("n", 2), he.Count("n", 7)})
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
