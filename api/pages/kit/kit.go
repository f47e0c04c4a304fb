package kit

import (
	"bytes"
	"cmp"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
)

//go:embed templates
var layout embed.FS

// Parse reads the templates of some pages, with those of the layout. It panics if one does not parse, because they are
// embedded.
func Parse(pages fs.FS) *template.Template { return parse(pages, "templates/*.html") }

func parse(pages fs.FS, files string) *template.Template {
	all := template.Must(template.ParseFS(layout, "templates/*.html"))
	return template.Must(all.ParseFS(pages, files))
}

// Kit renders the pages of one set.
type Kit struct {
	assets    Assets
	templates *template.Template
	languages *languages
	log       *slog.Logger
}

// New returns the kit for a set of pages: their templates, and their languages, of which the
// first is the fallback. It panics on an invalid template.
func New(templates *template.Template, all []Catalogue, log *slog.Logger) *Kit {
	return &Kit{assets: LoadAssets(), templates: templates, languages: newLanguages(all, templates), log: log}
}

// styled adds style rules to the shared ones and serves all files below a folder, which begins
// and ends with a slash.
func (k *Kit) styled(folder, name string, more []byte) *Kit {
	k.assets = Assets{
		Style: NewAsset(folder, name, k.assets.Style.contentType, slices.Concat(k.assets.Style.Content, more)),
		Icon:  NewAsset(folder, "icon.svg", k.assets.Icon.contentType, k.assets.Icon.Content),
	}
	return k
}

// Below serves the files below a folder, which begins and ends with a slash.
func (k *Kit) Below(folder string) *Kit { return k.styled(folder, "pages.css", nil) }

// Keeping names the query parameters that pages read. Links to the same page in other
// languages keep only these.
func (k *Kit) Keeping(parameters ...string) *Kit {
	k.languages.kept = parameters
	return k
}

// Register adds the routes of the files that every page refers to. root is the path at which the
// router is mounted; empty for none.
func (k *Kit) Register(r chi.Router, root string) {
	for _, a := range k.assets.All() {
		Get(r, strings.TrimPrefix(a.Path, root), a.Serve)
	}
}

// Get adds a handler for GET and HEAD.
func Get(r chi.Router, pattern string, h http.HandlerFunc) {
	r.Get(pattern, h)
	r.Head(pattern, h)
}

// framed is the data of a template: a type that embeds Frame.
type framed interface{ common() *Frame }

// Frame holds the parts that every page has.
type Frame struct {
	T           Translator
	Style, Icon string
	// Chosen is the language that the visitor chose; empty for the browser's. Links and forms
	// keep it.
	Chosen string
	// Languages are links to the page in other languages; empty for the answer to a form,
	// which has no address of its own.
	Languages template.HTML
	// Header describes the kind of page if the page has no Business. Label stands before the
	// Business if it has one.
	Header, Label string
	// Title is the heading of the page and the title of the tab.
	Title    string
	Business string
	// Set is the name of the set of pages, or empty.
	Set     string
	Sandbox bool
	// Tone is the colour family of the stylesheet: calm, good, warn or ended.
	Tone string
	// Refresh is the number of seconds until the page reloads itself, or 0.
	Refresh int
	// FormOrigin is the only origin that the page's form may lead to; empty for this service.
	FormOrigin string
	// SendsOrigin is set for a page whose forms must state their origin. Browsers hide the
	// origin if a page sends no referrer.
	SendsOrigin bool
	// InlineImages is set for a page that contains an image inline.
	InlineImages bool
	// Frames is set for a page that shows another page of this service in a frame, and Framed
	// for that other page.
	Frames, Framed bool
}

// Frame returns the frame of the page that answers a request, in the reader's language. The
// page sets Header, Label and Title.
func (k *Kit) Frame(r *http.Request) Frame {
	t, chosen := k.languages.of(r)
	f := Frame{T: t, Languages: k.languages.links(t, r.URL), Style: k.assets.Style.Path, Icon: k.assets.Icon.Path, Tone: "calm"}
	if chosen {
		f.Chosen = t.code
	}
	return f
}

// Speaks reports whether the pages exist in a language, given by its code.
func (k *Kit) Speaks(code string) bool {
	_, known := k.languages.byCode[code]
	return known
}

func (f *Frame) common() *Frame { return f }

// Keep adds the language that the visitor chose to a path without a query.
func (f *Frame) Keep(path string) string {
	if f.Chosen == "" {
		return path
	}
	return path + "?" + LangParam + "=" + f.Chosen
}

// Fill renders one template without the layout of a page.
func (k *Kit) Fill(name string, data any) (string, error) {
	var text bytes.Buffer
	err := k.templates.ExecuteTemplate(&text, name, data)
	return text.String(), err
}

// Render renders a page and sends it at the same time. If a template fails after the first
// bytes were sent, Render breaks the connection, so that a partial page does not look
// complete.
func (k *Kit) Render(w http.ResponseWriter, r *http.Request, status int, name string, page framed) {
	page.common().announce(w.Header())
	to := &beginning{w: w, status: status, whole: !r.ProtoAtLeast(1, 1) || r.Method == http.MethodHead}
	err := k.templates.ExecuteTemplate(to, name, page)
	switch {
	case err == nil:
		to.send()
		return
	case to.gone != nil:
		return // the visitor has disconnected
	}
	k.log.ErrorContext(r.Context(), "template failed", slog.String("template", name), slog.Any("error", err))
	if to.sent {
		panic(http.ErrAbortHandler)
	}
	http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
}

// announce sets the headers of the page.
func (f *Frame) announce(h http.Header) {
	Secure(h)
	h.Set("Content-Security-Policy", f.policy())
	if f.Framed {
		h.Set("X-Frame-Options", "SAMEORIGIN")
	}
	if f.SendsOrigin {
		h.Set("Referrer-Policy", "same-origin")
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Language", f.T.code)
	if f.Refresh > 0 {
		h.Set("Refresh", strconv.Itoa(f.Refresh))
	}
	h.Add("Vary", "Accept-Language")
}

// Secure sets the headers that isolate a page: no content from other hosts, no script, no
// frame around it or in it, and no referrer to other sites.
func Secure(h http.Header) {
	h.Set("Content-Security-Policy", (&Frame{}).policy())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("X-Robots-Tag", "noindex, nofollow")
}

// policy returns the content security policy of the page.
func (f *Frame) policy() string {
	forms, images := cmp.Or(f.FormOrigin, "'self'"), "'self'"
	if f.InlineImages {
		images += " data:"
	}
	frames, around := "", "'none'"
	if f.Frames {
		frames = "; frame-src 'self'"
	}
	if f.Framed {
		around = "'self'"
	}
	return "default-src 'none'; style-src 'self'; img-src " + images + frames + "; form-action " + forms +
		"; base-uri 'none'; frame-ancestors " + around
}

// beginningSize is the number of bytes of a page that are sent before the rest is rendered.
// They contain the head, so that the browser can fetch the stylesheet meanwhile.
const beginningSize = 512

// beginning writes a page while it is rendered. It sends nothing until the first beginningSize
// bytes are complete.
type beginning struct {
	w      http.ResponseWriter
	status int
	first  []byte
	// whole is set if the page must be complete before anything is sent. An HTTP/1.0 answer
	// without a length ends with the connection, so a truncated page would look complete. A
	// HEAD request needs the length.
	whole bool
	// sent is set after the first bytes were sent. gone is the error after which nothing more
	// is sent.
	sent bool
	gone error
}

// Write buffers the first bytes of a page and passes on the rest.
func (b *beginning) Write(p []byte) (int, error) {
	if b.sent {
		return b.out(p)
	}
	b.first = append(b.first, p...)
	if b.whole || len(b.first) < beginningSize {
		return len(p), nil
	}
	b.send()
	if b.gone == nil {
		_ = http.NewResponseController(b.w).Flush() // a writer that cannot flush sends later
	}
	return len(p), b.gone
}

// send sends the buffered bytes.
func (b *beginning) send() {
	if b.sent {
		return
	}
	b.sent = true
	if b.whole {
		b.w.Header().Set("Content-Length", strconv.Itoa(len(b.first)))
	}
	b.w.WriteHeader(b.status)
	_, _ = b.out(b.first)
}

func (b *beginning) out(p []byte) (n int, err error) {
	n, b.gone = b.w.Write(p)
	return n, b.gone
}
