package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
)

//go:embed assets/swagger-ui-bundle.js.gz assets/swagger-ui.css.gz assets/docs.js assets/docs.css assets/docs.html
var files embed.FS

// policy lets the page load only from its own origin; data: images are the icons in the style
// sheet.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// RegisterReference adds the page at /docs, with the given title, and its files below
// /docs/assets. The service itself answers /openapi.json.
func RegisterReference(r chi.Router, title string) {
	assets := []asset{
		load("swagger-ui.css.gz"), load("docs.css"), load("swagger-ui-bundle.js.gz"), load("docs.js"),
	}
	page := render(title, assets)
	get := func(pattern string, h http.HandlerFunc) {
		r.Get(pattern, h)
		r.Head(pattern, h)
	}
	get("/docs", page)
	get("/docs/", page)
	for _, a := range assets {
		get(a.path, a.serve)
	}
}

// render builds the page once; it is the same for every visitor.
func render(title string, assets []asset) http.HandlerFunc {
	var body bytes.Buffer
	data := map[string]any{"Title": title, "Styles": paths(assets, ".css"), "Scripts": paths(assets, ".js")}
	if err := template.Must(template.ParseFS(files, "assets/docs.html")).Execute(&body, data); err != nil {
		panic(err)
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(body.Len()))
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(body.Bytes())
	}
}

func paths(assets []asset, ext string) []string {
	var list []string
	for _, a := range assets {
		if path.Ext(a.path) == ext {
			list = append(list, a.path)
		}
	}
	return list
}

// asset is an embedded file. Its path changes with its content.
type asset struct {
	path, contentType string
	content           []byte
	// compressed is true if content is compressed with gzip.
	compressed bool
}

// load panics if the file was not embedded, because then the binary is broken.
func load(file string) asset {
	content, err := files.ReadFile("assets/" + file)
	if err != nil {
		panic(err)
	}
	name, compressed := strings.CutSuffix(file, ".gz")
	sum := sha256.Sum256(content)
	ext := path.Ext(name)
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	return asset{
		path:        "/docs/assets/" + strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:6]) + ext,
		contentType: types[ext], content: content, compressed: compressed,
	}
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.contentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	if !a.compressed {
		_, _ = w.Write(a.content)
		return
	}
	h.Add("Vary", "Accept-Encoding")
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(a.content)))
		_, _ = w.Write(a.content)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(a.content))
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	_, _ = io.Copy(w, plain) //nolint:gosec // an embedded file
}

// takesGzip reports whether the client accepts gzip; "gzip;q=0" is a refusal.
func takesGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(coding, " ", ""), ";")
		if name != "gzip" && name != "*" {
			continue
		}
		weight, weighted := strings.CutPrefix(quality, "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !weighted || (err == nil && q > 0)
	}
	return false
}
