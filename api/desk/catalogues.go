package desk

import (
	"embed"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
)

//go:embed texts
var textFiles embed.FS

// Catalogues lists the languages of the desk, which are those of the pages for
// customers, with the texts that both have; the first is the fallback.
func Catalogues() []kit.Catalogue { return kit.WithTexts(textFiles, pages.Catalogues()) }
