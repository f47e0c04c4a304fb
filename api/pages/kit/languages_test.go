package kit

import (
	"html/template"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
)

func TestWhatBrowsersSendIsKeptWithinBounds(t *testing.T) {
	t.Parallel()
	l := newLanguages([]Catalogue{
		{language.English, "English", "ltr", Texts{}}, {language.German, "Deutsch", "ltr", Texts{}},
	}, template.Must(template.ParseFS(layout, "templates/*.html")))
	for i := range 2 * maxHeaders {
		require.Equal(t, "de", l.accepted("de;q=0."+strings.Repeat("9", i%180+1)+",en;q=0."+strings.Repeat("1", i%7+1)).code)
		l.accepted("de," + strings.Repeat("x", i%9) + string(rune('a'+i%26)) + strings.Repeat("y", i%300))
	}
	kept := 0
	l.known.Range(func(header, _ any) bool {
		require.LessOrEqual(t, len(header.(string)), maxHeader)
		kept++
		return true
	})
	require.Positive(t, kept)
	require.LessOrEqual(t, kept, maxHeaders)
}
