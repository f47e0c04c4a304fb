package desk

import (
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
)

// Catalogues lists the languages of the desk, which are those of the pages for
// customers, with the texts that both have; the first is the fallback.
func Catalogues() []kit.Catalogue {
	own := map[string]func() kit.Texts{"en": english, "de": german, "es": spanish, "fr": french, "ru": russian, "ar": arabic}
	var all []kit.Catalogue
	for _, c := range pages.Catalogues() {
		if texts := own[c.Tag.String()]; texts != nil {
			c.Texts = c.Texts.And(texts())
			all = append(all, c)
		}
	}
	return all
}
