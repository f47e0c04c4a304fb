package opdesk

import (
	"bytes"
	"html/template"
	"net/http"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/durapay/durapay/deploy"
)

// runbook shows a runbook of this version. Its links to other runbooks lead to their pages.
func (v *visit) runbook() error {
	source, found := deploy.Runbook(v.param("name"))
	if !found {
		return &apiError{Text: "There is no such runbook.", Status: http.StatusNotFound}
	}
	title, prose, err := read([]byte(source))
	if err != nil {
		return err
	}
	return v.show(&page{Title: title, Links: []link{{Href: Root + "/runbooks/README", Text: "All runbooks"}}, Prose: prose})
}

// read converts a runbook to HTML and returns its title separately.
func read(source []byte) (title string, prose template.HTML, err error) {
	md := goldmark.New(goldmark.WithExtensions(extension.GFM))
	tree := md.Parser().Parse(text.NewReader(source))
	if h, ok := tree.FirstChild().(*ast.Heading); ok {
		title = string(h.Lines().Value(source))
		tree.RemoveChild(tree, h)
	}
	links, err := linksIn(tree)
	if err != nil {
		return "", "", err
	}
	for _, n := range links {
		lead(n, source)
	}
	var html bytes.Buffer
	err = md.Renderer().Render(&html, source, tree)
	return title, template.HTML(html.String()), err //nolint:gosec // our own text, and goldmark leaves raw HTML out
}

func linksIn(tree ast.Node) (links []*ast.Link, err error) {
	err = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n, ok := n.(*ast.Link); ok && entering {
			links = append(links, n)
		}
		return ast.WalkContinue, nil
	})
	return links, err
}

// lead changes a link to another runbook into a link to its page. A file that is not a runbook
// has no page, so such a link is replaced by its text. A runbook's name loses its ending.
func lead(n *ast.Link, source []byte) {
	file, _, _ := strings.Cut(string(n.Destination), "#")
	name, is := strings.CutSuffix(file, ".md")
	if is && !strings.ContainsAny(name, "/.") {
		n.Destination = []byte(Root + "/runbooks/" + name)
		if words, ok := n.FirstChild().(*ast.Text); ok && string(words.Segment.Value(source)) == name+".md" {
			words.Segment.Stop -= len(".md")
		}
		return
	}
	for words := n.FirstChild(); words != nil; words = n.FirstChild() {
		n.Parent().InsertBefore(n.Parent(), n, words)
	}
	n.Parent().RemoveChild(n.Parent(), n)
}
