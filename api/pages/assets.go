package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

//go:embed assets
var assetFiles embed.FS

// asset is an embedded file under a name that changes with its content.
type asset struct {
	path, contentType string
	content           []byte
}

// assets are the files that pages refer to.
type assets struct{ style, icon asset }

func (a assets) all() []asset { return []asset{a.style, a.icon} }

func loadAssets() assets {
	return assets{
		style: loadAsset("pages.css", "text/css; charset=utf-8"),
		icon:  loadAsset("icon.svg", "image/svg+xml"),
	}
}

// loadAsset panics when the file was not embedded: the binary is broken then.
func loadAsset(name, contentType string) asset {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(content)
	base, ext, _ := strings.Cut(name, ".")
	path := "/static/" + base + "-" + hex.EncodeToString(sum[:6]) + "." + ext
	return asset{path: path, contentType: contentType, content: content}
}

func (a asset) serve(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Content-Length", strconv.Itoa(len(a.content)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.content)
}
