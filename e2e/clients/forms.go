package clients

import (
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// form is what a page asks for.
type form struct {
	action *url.URL
	method string
	// fields are the values that are filled in already, by the names of the inputs and buttons.
	// A list has its choices.
	fields url.Values
}

// readPage reads where a page leads: the targets of its links, and its forms.
func readPage(at *url.URL, page io.Reader) (links []string, forms []form, err error) {
	root, err := html.Parse(page)
	if err != nil {
		return nil, nil, err
	}
	for node := range root.Descendants() {
		switch {
		case node.Type != html.ElementNode:
		case node.Data == "a":
			links = append(links, attribute(node, "href"))
		case node.Data == "form":
			if action, err := at.Parse(attribute(node, "action")); err == nil {
				forms = append(forms, form{action, strings.ToUpper(attribute(node, "method")), fieldsOf(node)})
			}
		}
	}
	return links, forms, nil
}

func fieldsOf(form *html.Node) url.Values {
	fields := url.Values{}
	for node := range form.Descendants() {
		name := attribute(node, "name")
		if node.Type == html.ElementNode && node.Data == "option" {
			name = attribute(node.Parent, "name")
		}
		if name != "" && node.Data != "select" {
			fields.Add(name, attribute(node, "value"))
		}
	}
	return fields
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
