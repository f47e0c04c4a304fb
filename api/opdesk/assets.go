package opdesk

import (
	_ "embed" // the stylesheet
	"net/http"
	"slices"

	"github.com/durapay/durapay/api/pages/kit"
)

//go:embed assets/opdesk.css
var ownStyle []byte

// loadAssets takes the look of the pages for customers, and what tables need
// besides. They are below Root, since nothing else is on the internal listener.
func loadAssets() kit.Assets {
	shared, folder := kit.LoadAssets(), Root+"/static/"
	return kit.Assets{
		Style: kit.NewAsset(folder, "desk.css", "text/css; charset=utf-8", slices.Concat(shared.Style.Content, ownStyle)),
		Icon:  kit.NewAsset(folder, "icon.svg", "image/svg+xml", shared.Icon.Content),
	}
}

// asset serves the stylesheet and the icon, which are no secret.
func (d *Desk) asset(w http.ResponseWriter, r *http.Request) {
	for _, a := range d.assets.All() {
		if a.Path == r.URL.Path {
			a.Serve(w, r)
			return
		}
	}
	d.NotFound(w, r)
}
