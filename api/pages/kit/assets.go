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

// Asset is an embedded file. Its path changes with its content.
type Asset struct {
	Path, contentType string
	Content           []byte
}

// Assets are the files that pages refer to.
type Assets struct{ Style, Icon Asset }

// All returns all of the files.
func (a Assets) All() []Asset { return []Asset{a.Style, a.Icon} }

// LoadAssets reads the embedded files.
func LoadAssets() Assets {
	return Assets{
		Style: loadAsset("pages.css", "text/css; charset=utf-8"),
		Icon:  loadAsset("icon.svg", "image/svg+xml"),
	}
}

// loadAsset panics if the file was not embedded, because then the binary is broken.
func loadAsset(name, contentType string) Asset {
	content, err := assetFiles.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return NewAsset("/static/", name, contentType, content)
}

// NewAsset returns a file to serve below a folder. The folder begins and ends with a slash.
func NewAsset(folder, name, contentType string, content []byte) Asset {
	sum := sha256.Sum256(content)
	base, ext, _ := strings.Cut(name, ".")
	path := folder + base + "-" + hex.EncodeToString(sum[:6]) + "." + ext
	return Asset{Path: path, contentType: contentType, Content: content}
}

// Announce sets the headers of the file, without its length. Clients may cache it forever.
func (a Asset) Announce(h http.Header) {
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
}

// Serve answers with the file.
func (a Asset) Serve(w http.ResponseWriter, _ *http.Request) {
	a.Announce(w.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Content)))
	_, _ = w.Write(a.Content)
}
