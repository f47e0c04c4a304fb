package pages

import (
	"embed"

	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
)

//go:embed texts
var textFiles embed.FS

// Catalogues lists the languages of the pages; the first is the fallback.
func Catalogues() []kit.Catalogue {
	return kit.WithTexts(textFiles, []kit.Catalogue{
		{Tag: language.English, Name: "English", Direction: "ltr"},
		{Tag: language.German, Name: "Deutsch", Direction: "ltr"},
		{Tag: language.Spanish, Name: "Español", Direction: "ltr"},
		{Tag: language.French, Name: "Français", Direction: "ltr"},
		{Tag: language.Russian, Name: "Русский", Direction: "ltr"},
		{Tag: language.Arabic, Name: "العربية", Direction: "rtl"},
	})
}
