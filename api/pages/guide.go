package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/chi/v5"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/docs"
	"github.com/durapay/durapay/openapi"
)

// guideRoot is the path of the documents. guideIndex is the document that links to all other documents.
const (
	guideRoot  = "/docs/"
	guideIndex = "merchant/README.md"
)

type guide struct {
	// path is the path of its page. The path of its Markdown has .md appended.
	path, title string
	// summary is its first paragraph in one line.
	summary  string
	markdown []byte
	html     template.HTML
}

// pathOf returns the path at which a file of docs is served. Programs that accompany documents
// are served under their names.
func pathOf(file string) string {
	if file == guideIndex {
		return guideRoot + "merchant"
	}
	return guideRoot + strings.TrimSuffix(file, ".md")
}

// elsewhere returns files of the repository that a document may link to, with their paths in
// the service.
func elsewhere() map[string]string {
	return map[string]string{"../openapi/merchant.yaml": "/openapi.yaml", "../openapi/greenfield.yaml": greenfieldPath}
}

// greenfieldPath is the path of the Greenfield surface's document.
const greenfieldPath = guideRoot + "openapi/greenfield.yaml"

// leadsTo returns the target of a file's link in the service. ending is appended to the path
// of a document: .md for readers of Markdown. It panics on a link to a file that is not
// served, because documents are embedded and a test loads them.
func leadsTo(file, link, ending string) string {
	target, anchor, anchored := strings.Cut(link, "#")
	if target == "" || strings.Contains(target, ":") {
		return link
	}
	at := path.Join(path.Dir(file), target)
	to, known := elsewhere()[at]
	if !known {
		if _, err := fs.Stat(docs.Merchant, at); err != nil {
			panic("docs: " + file + " links to " + link)
		}
		to = pathOf(at)
		if path.Ext(at) == ".md" {
			to += ending
		}
	}
	if anchored {
		to += "#" + anchor
	}
	return to
}

// inMarkdown matches the links of a document.
var inMarkdown = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// newGuide reads a document of docs.
func newGuide(file string, source []byte) guide {
	return readGuide(pathOf(file), source, func(link, ending string) string { return leadsTo(file, link, ending) })
}

// readGuide reads a document that is served at a path. leads returns the target of a link in it.
func readGuide(path string, source []byte, leads func(link, ending string) string) guide {
	g := guide{path: path}
	g.markdown = inMarkdown.ReplaceAllFunc(source, func(found []byte) []byte {
		link := string(inMarkdown.FindSubmatch(found)[1])
		return []byte("](" + leads(link, ".md") + ")")
	})
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := md.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(leads(string(n.Destination), ""))
		case *ast.Heading:
			if g.title == "" {
				g.title = wordsOf(n, source)
			}
		case *ast.Paragraph:
			if g.summary == "" {
				g.summary = wordsOf(n, source)
			}
		}
		return ast.WalkContinue, nil
	})
	var html bytes.Buffer
	if err := md.Renderer().Render(&html, source, tree); err != nil {
		panic(err)
	}
	page := codeInHTML.ReplaceAllStringFunc(html.String(), func(found string) string {
		if strings.HasPrefix(found, "<pre>") {
			return found
		}
		return strings.ReplaceAll(found, "/", "/<wbr>")
	})
	g.html = template.HTML(page) //nolint:gosec // our own text, and goldmark leaves raw HTML out
	return g
}

// codeInHTML matches code. A line may end after a slash of a path in a sentence, not within its words.
var codeInHTML = regexp.MustCompile(`(?:<pre>)?<code>[^<]*`)

// wordsOf returns the text of a part of a document without its markup.
func wordsOf(of ast.Node, source []byte) string {
	var words strings.Builder
	_ = ast.Walk(of, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which returns no error
		if t, ok := n.(*ast.Text); ok && entering {
			words.Write(t.Value(source))
			if t.SoftLineBreak() {
				words.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return words.String()
}

// guidePage is a guide for people. Its text is in English for readers of any language.
type guidePage struct {
	kit.Frame

	Body     template.HTML
	Markdown string
	// Links lead to other documents.
	Links []kit.Link
}

// RegisterGuides adds the page and the Markdown of each document, the programs that accompany them,
// and /llms.txt, which also lists the operations of an API.
func (s *Site) RegisterGuides(r chi.Router, api *huma.OpenAPI) {
	get := func(pattern string, h http.HandlerFunc) { kit.Get(r, pattern, h) }
	var all []guide
	for file, content := range guideFiles() {
		if path.Ext(file) != ".md" {
			get(pathOf(file), constant("text/plain; charset=utf-8", content))
			continue
		}
		g := newGuide(file, content)
		all = append(all, g)
		get(g.path, guidePageOf(s.kit, g, []kit.Link{{Href: pathOf(guideIndex), Text: "For merchants"}, {Href: referencePath, Text: "API"}}))
		get(g.path+".md", constant("text/markdown; charset=utf-8", g.markdown))
	}
	get(greenfieldPath, constant("application/openapi+yaml", openapi.Greenfield))
	get("/llms.txt", constant("text/plain; charset=utf-8", listOf(all, api.Tags, s.PublicURL)))
}

// guideFiles returns the documents and their programs, by their paths below docs.
func guideFiles() map[string][]byte {
	all := map[string][]byte{}
	err := fs.WalkDir(docs.Merchant, ".", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all[file], err = docs.Merchant.ReadFile(file)
		}
		return err
	})
	if err != nil {
		panic(err) // they are embedded
	}
	return all
}

// guidePageOf answers with the page of a document.
func guidePageOf(k *kit.Kit, g guide, links []kit.Link) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p := guidePage{Frame: k.Frame(r), Body: g.html, Markdown: g.path + ".md", Links: links}
		p.Title, p.Header, p.Languages = g.title, "Durapay", ""
		k.Render(w, r, http.StatusOK, "guide.html", &p)
	}
}

// constant answers with constant content. The ETag lets clients that have the content skip the
// download.
func constant(contentType string, content []byte) http.HandlerFunc {
	sum := sha256.Sum256(content)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "no-cache")
		h.Set("ETag", tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

// listOf returns /llms.txt: the list of documents, in the format of https://llmstxt.org.
func listOf(all []guide, tags []*huma.Tag, publicURL string) []byte {
	slices.SortFunc(all, func(a, b guide) int { return strings.Compare(a.path, b.path) })
	var text bytes.Buffer
	text.WriteString("# Durapay\n\n> A payment service for shops that take Monero (XMR): charges with an address of their own, payment pages, signed webhooks, " +
		"payouts, refunds by link and swaps, by a REST API. Amounts are JSON numbers with exact decimals, in requests too: read and write them as decimals, " +
		"not as floats. Swaps and the Greenfield surface have some as strings.\n\n## Documents\n\n")
	for _, g := range all {
		fmt.Fprintf(&text, "- [%s](%s%s.md)", g.title, publicURL, g.path)
		if g.path != pathOf(guideIndex) && g.summary != "" {
			fmt.Fprintf(&text, ": %s", firstSentence(g.summary))
		}
		text.WriteByte('\n')
	}
	fmt.Fprintf(&text, "\n## API\n\n- [OpenAPI document](%[1]s/openapi.yaml): every operation, with examples and errors\n"+
		"- [OpenAPI document in 3.0](%[1]s/openapi-3.0.yaml): the same for generators that do not support 3.1\n"+
		"- [Greenfield surface](%[1]s%[2]s): what shop plugins written for BTCPay Server call\n", publicURL, greenfieldPath)
	for _, tag := range tags {
		fmt.Fprintf(&text, "- [%s](%s%s.md): %s\n", tag.Name, publicURL, pathOfTag(tag.Name), tag.Description)
	}
	return text.Bytes()
}

// firstSentence returns a text up to its first full stop that is followed by a space.
func firstSentence(text string) string {
	sentence, _, found := strings.Cut(text, ". ")
	if found {
		sentence += "."
	}
	return sentence
}
