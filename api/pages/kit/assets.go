package kit

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

// Asset is an embedded file under a name that changes with its content.
type Asset struct {
	Path, contentType string
	Content           []byte
}

// Assets are the files that pages refer to.
type Assets struct{ Style, Icon Asset }

// All are all of them.
func (a Assets) All() []Asset { return []Asset{a.Style, a.Icon} }

// LoadAssets makes them ready to be served.
func LoadAssets() Assets {
	return Assets{
		Style: loadAsset("pages.css", "text/css; charset=utf-8"),
		Icon:  loadAsset("icon.svg", "image/svg+xml"),
	}
}

// loadAsset panics when the file was not embedded: the binary is broken then.
func loadAsset(name, contentType string) Asset {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return NewAsset("/static/", name, contentType, content)
}

// NewAsset is a file that is served below a folder, which begins and ends with a
// slash.
func NewAsset(folder, name, contentType string, content []byte) Asset {
	sum := sha256.Sum256(content)
	base, ext, _ := strings.Cut(name, ".")
	path := folder + base + "-" + hex.EncodeToString(sum[:6]) + "." + ext
	return Asset{Path: path, contentType: contentType, Content: content}
}

// Serve answers with the file, to be kept for ever.
func (a Asset) Serve(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("Content-Length", strconv.Itoa(len(a.Content)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.Content)
}
