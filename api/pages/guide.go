package pages

import (
	"bytes"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/durapay/durapay/docs"
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

func newGuide(file string, source []byte) guide {
	g := guide{path: pathOf(file)}
	g.markdown = inMarkdown.ReplaceAllFunc(source, func(found []byte) []byte {
		link := string(inMarkdown.FindSubmatch(found)[1])
		return []byte("](" + leadsTo(file, link, ".md") + ")")
	})
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	tree := md.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which returns no error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(leadsTo(file, string(n.Destination), ""))
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
	g.html = template.HTML(html.String()) //nolint:gosec // our own text, and goldmark leaves raw HTML out
	return g
}

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
