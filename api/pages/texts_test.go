package pages

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/pages/kit"
)

// used matches a message id in a template or in code.
var used = regexp.MustCompile(`(?:Text|Count) ?\(?"([a-z_.]+)"`)

// TestEveryMessageHasAText checks that each language has the messages that templates and code
// name.
func TestEveryMessageHasAText(t *testing.T) {
	t.Parallel()
	ids := usedIDs(t)
	require.Greater(t, len(ids), 30)
	for _, c := range Catalogues() {
		for id := range ids {
			_, plain := c.Texts[id]
			_, counted := c.Texts[id+".other"]
			require.True(t, plain || counted, "%s lacks %s", c.Tag, id)
		}
		for name := range mailedNames(t) {
			require.Contains(t, c.Texts, name+".title", c.Tag)
			require.Contains(t, c.Texts, name+".detail", c.Tag)
		}
		for name, view := range views() {
			id := string(stageOf(view))
			require.Contains(t, c.Texts, id+".title", name)
			require.Contains(t, c.Texts, id+".detail", name)
		}
	}
}

// mailedNames returns the names with which the texts of mailed links begin.
func mailedNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, call := range regexp.MustCompile(`(?:pressed\(|showMailed\(|showStays\(|mailed\{).*`).FindAllString(allSource(t), -1) {
		for _, name := range regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(call, -1) {
			if tone := name[1]; tone != "good" && tone != "ended" {
				names[name[1]] = true
			}
		}
	}
	require.Len(t, names, 10, "email, notices, reset and stays, and how they end")
	return names
}

// TestEveryTextIsUsed finds texts that no page shows any more.
func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	source := allSource(t)
	plural := regexp.MustCompile(`\.(zero|one|two|few|many|other)$`)
	for id := range Catalogues()[0].Texts {
		id := plural.ReplaceAllString(id, "")
		stage, _, _ := strings.Cut(id, ".")
		family := stage == "field" || stage == "month" || strings.Contains(source, `stage = "`+stage+`"`) ||
			(mailedNames(t)[stage] && (strings.HasSuffix(id, ".title") || strings.HasSuffix(id, ".detail")))
		require.True(t, family || strings.Contains(source, `"`+id+`"`), id)
	}
}

// TestTitlesHaveNoWordsThatAreBroken checks the length of words: on a phone a title is about
// 16 characters wide, and a longer word would be cut anywhere.
func TestTitlesHaveNoWordsThatAreBroken(t *testing.T) {
	t.Parallel()
	titles := 0
	for _, c := range Catalogues() {
		for id, text := range c.Texts {
			if !strings.HasSuffix(id, ".title") {
				continue
			}
			for word := range strings.FieldsSeq(text) {
				require.LessOrEqual(t, utf8.RuneCountInString(word), 16, "%s: %s", c.Name, word)
			}
			titles++
		}
	}
	require.Greater(t, titles, 50)
}

func TestNumbersTakeTheirPluralForm(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]map[int]string{
		"en": {0: "0 minutes", 1: "1 minute", 2: "2 minutes"},
		"de": {0: "0 Minuten", 1: "1 Minute", 2: "2 Minuten"},
		"es": {0: "0 minutos", 1: "1 minuto", 2: "2 minutos"},
		"fr": {0: "0 minute", 1: "1 minute", 2: "2 minutes"},
		"ru": {1: "1 минута", 2: "2 минуты", 5: "5 минут", 11: "11 минут", 21: "21 минута", 22: "22 минуты", 112: "112 минут"},
		"ar": {1: "دقيقة واحدة", 2: "دقيقتين", 3: "\u20683\u2069 دقائق", 11: "\u206811\u2069 دقيقة", 100: "\u2068100\u2069 دقيقة"},
	} {
		for n, text := range want {
			require.Equal(t, text, in(t, code).Count("span.minutes", n), code)
		}
	}
}

func TestDatesReadAsTheLanguageWritesThem(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 3, 1, 9, 5, 0, 0, time.UTC)
	for code, want := range map[string]string{
		"en": "1 March 2026, 09:05 UTC", "de": "1. März 2026, 09:05 UTC", "es": "1 de marzo de 2026, 09:05 UTC",
		"fr": "1er mars 2026, 09:05 UTC", "ru": "1 марта 2026 г., 09:05 UTC",
		"ar": "\u20681\u2069 \u2068مارس\u2069 \u20682026\u2069، \u206809:05 UTC\u2069",
	} {
		require.Equal(t, want, in(t, code).Moment(first, testNow))
		require.Equal(t, "13:53 UTC", in(t, code).Moment(testNow, testNow))
	}
}

func in(t *testing.T, code string) kit.Translator {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/?"+kit.LangParam+"="+code, http.NoBody)
	return kit.New(kit.Parse(templateFiles), Catalogues(), slog.New(slog.DiscardHandler)).Frame(r).T
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

// allSource returns the text of the templates and of the code, without tests.
func allSource(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	add := func(content []byte, err error) {
		require.NoError(t, err)
		all.Write(content)
	}
	var files []string
	for _, pattern := range []string{"templates/*.html", "kit/templates/*.html", "*.go", "kit/*.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			add(os.ReadFile(name))
		}
	}
	return all.String()
}
