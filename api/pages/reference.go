package pages

import (
	"bytes"
	"compress/gzip"
	"embed"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
)

//go:embed reference/swagger-ui-bundle.js.gz reference/swagger-ui.css.gz reference/docs.js reference/docs.css reference/docs.html
var referenceFiles embed.FS

// referencePolicy lets the page load only from its own origin; data: images are the icons in the style
// sheet.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// referencePath is the path of an API's reference.
const referencePath = "/docs"

// assetRoot is the folder of its files.
const assetRoot = guideRoot + "assets/"

// RegisterReference adds the reference of an API at /docs: a list of its operations, each with a
// link to the page of its tag, and below /docs/operations these pages, also as Markdown. A script
// replaces the list with a viewer of the service's own /openapi.json. Its files are below
// /docs/assets, so it works offline and on an onion service. more are links to further documents.
func RegisterReference(r chi.Router, doc *huma.OpenAPI, log *slog.Logger, more ...kit.Link) {
	assets := []asset{
		loadAsset("swagger-ui.css.gz"), loadAsset("docs.css"), loadAsset("swagger-ui-bundle.js.gz"), loadAsset("docs.js"),
	}
	links := slices.Concat(more, []kit.Link{
		{Href: "/openapi.json", Text: "OpenAPI as JSON"}, {Href: "/openapi.yaml", Text: "as YAML"}, {Href: "/openapi-3.0.yaml", Text: "in 3.0"},
	})
	page := sync.OnceValue(func() []byte { return renderReference(doc, links, assets) })
	kit.Get(r, referencePath, showReference(page))
	kit.Get(r, guideRoot, showReference(page))
	for _, a := range assets {
		kit.Get(r, a.Path, a.serve)
	}
	k := kit.New(kit.Parse(templateFiles), Catalogues(), log).Below(assetRoot)
	k.Register(r, "")
	for _, tag := range doc.Tags {
		path := pathOfTag(tag.Name)
		read := sync.OnceValue(func() guide { return readGuide(path, textOfTag(doc, tag), sameLink) })
		kit.Get(r, path, func(w http.ResponseWriter, r *http.Request) {
			guidePageOf(k, read(), slices.Concat([]kit.Link{{Href: referencePath, Text: "All operations"}}, more))(w, r)
		})
		kit.Get(r, path+".md", func(w http.ResponseWriter, r *http.Request) {
			constant("text/markdown; charset=utf-8", read().markdown)(w, r)
		})
	}
}

// sameLink keeps a link as it is written.
func sameLink(link, _ string) string { return link }

// renderReference builds the page; it is the same for every visitor.
func renderReference(doc *huma.OpenAPI, links []kit.Link, assets []asset) []byte {
	var body bytes.Buffer
	data := map[string]any{
		"Title": doc.Info.Title, "Styles": pathsOf(assets, ".css"), "Scripts": pathsOf(assets, ".js"), "Links": links,
		"Operations": readGuide(referencePath, indexOf(doc), sameLink).html,
	}
	if err := template.Must(template.ParseFS(referenceFiles, "reference/docs.html")).Execute(&body, data); err != nil {
		panic(err)
	}
	return body.Bytes()
}

func showReference(page func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		body, h := page(), w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("Content-Security-Policy", referencePolicy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
	}
}

func pathsOf(assets []asset, ext string) []string {
	var list []string
	for _, a := range assets {
		if path.Ext(a.Path) == ext {
			list = append(list, a.Path)
		}
	}
	return list
}

// asset is an embedded file.
type asset struct {
	kit.Asset
	// compressed is true if the content is compressed with gzip.
	compressed bool
}

// loadAsset panics if the file was not embedded, because then the binary is broken.
func loadAsset(file string) asset {
	content, err := referenceFiles.ReadFile("reference/" + file)
	if err != nil {
		panic(err)
	}
	name, compressed := strings.CutSuffix(file, ".gz")
	types := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}
	return asset{kit.NewAsset(assetRoot, name, types[path.Ext(name)], content), compressed}
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	if !a.compressed {
		a.Serve(w, r)
		return
	}
	w.Header().Add("Vary", "Accept-Encoding")
	if takesGzip(r) {
		w.Header().Set("Content-Encoding", "gzip")
		a.Serve(w, r)
		return
	}
	plain, err := gzip.NewReader(bytes.NewReader(a.Content))
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	a.Announce(w.Header())
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
