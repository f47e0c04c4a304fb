package pages

import (
	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
)

// Catalogues lists the languages of the pages; the first is the fallback.
func Catalogues() []kit.Catalogue {
	return []kit.Catalogue{
		{Tag: language.English, Name: "English", Direction: "ltr", Texts: english()},
		{Tag: language.German, Name: "Deutsch", Direction: "ltr", Texts: german()},
		{Tag: language.Spanish, Name: "Español", Direction: "ltr", Texts: spanish()},
		{Tag: language.French, Name: "Français", Direction: "ltr", Texts: french()},
		{Tag: language.Russian, Name: "Русский", Direction: "ltr", Texts: russian()},
		{Tag: language.Arabic, Name: "العربية", Direction: "rtl", Texts: arabic()},
	}
}
