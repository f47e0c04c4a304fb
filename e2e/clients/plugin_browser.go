package clients

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// browser opens pages and submits their forms. It has no script.
type browser struct {
	http *http.Client
	// form is that of the page that is open; nil where it has none.
	form *form
}

// form is what a page asks for.
type form struct {
	action *url.URL
	// inputs are the values that are filled in already, by the names of the inputs and buttons.
	inputs url.Values
}

func (b *browser) open(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	return b.visit(req)
}

// submit fills the known values into the inputs of the form, and sends it.
func (b *browser) submit(ctx context.Context, known url.Values) error {
	if b.form == nil {
		return errors.New("the page has no form")
	}
	values := b.form.inputs
	for name := range values {
		if known.Has(name) {
			values[name] = known[name]
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.form.action.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.visit(req)
}

func (b *browser) visit(req *http.Request) error {
	resp, err := b.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s answers %s: %s", resp.Request.URL.Path, resp.Status, text)
	}
	b.form, err = readForm(resp)
	return err
}

// readForm is the form of a page that is posted; nil where there is none.
func readForm(resp *http.Response) (*form, error) {
	root, err := html.Parse(resp.Body)
	if err != nil {
		return nil, err
	}
	for node := range root.Descendants() {
		if node.Data != "form" || attribute(node, "method") != "post" {
			continue
		}
		action, err := resp.Request.URL.Parse(attribute(node, "action"))
		if err != nil {
			return nil, err
		}
		f := &form{action, url.Values{}}
		for input := range node.Descendants() {
			if name := attribute(input, "name"); name != "" {
				f.inputs.Add(name, attribute(input, "value"))
			}
		}
		return f, nil
	}
	return nil, nil //nolint:nilnil // a page need not have one
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
