package desk

import (
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
)

// Catalogues lists the languages of the desk, which are those of the pages for
// customers, with the texts that both have; the first is the fallback.
func Catalogues() []kit.Catalogue {
	own := map[string]func() kit.Texts{
		"en": func() kit.Texts { return english().And(englishActions()) }, "de": func() kit.Texts { return german().And(germanActions()) },
		"es": func() kit.Texts { return spanish().And(spanishActions()) }, "fr": func() kit.Texts { return french().And(frenchActions()) },
		"ru": func() kit.Texts { return russian().And(russianActions()) }, "ar": func() kit.Texts { return arabic().And(arabicActions()) },
	}
	var all []kit.Catalogue
	for _, c := range pages.Catalogues() {
		if texts := own[c.Tag.String()]; texts != nil {
			c.Texts = c.Texts.And(texts())
			all = append(all, c)
		}
	}
	return all
}
