// Package clients has the programs that call Durapay from outside: a merchant's software, a shop's
// plugin, a partner of the swap exchange, and strangers without a right to what they ask for. They know
// the written contract alone and use HTTP. Their types are not those of the service, so a field that
// the service renames is missing here.
package clients

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// Answer is what came back.
type Answer struct {
	Status int
	// Line has the status and its name.
	Line   string
	Header http.Header
	Body   []byte
	// URL is where the answer is from, after all redirects.
	URL *url.URL
}

// Send makes a request with a JSON body, unless body is nil. The client is http.DefaultClient
// when nil.
func Send(ctx context.Context, client *http.Client, method, address string, header map[string]string, body any) (Answer, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return Answer{}, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return Answer{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	return read(client, req)
}

func read(client *http.Client, req *http.Request) (Answer, error) {
	resp, err := cmp.Or(client, http.DefaultClient).Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Status, resp.Header, body, resp.Request.URL}, err
}

// Fetch reads a page or a document as a browser without script does. Everything but 200 is an
// error. The client is http.DefaultClient when nil.
func Fetch(ctx context.Context, client *http.Client, address string, header map[string]string) (string, http.Header, error) {
	answer, err := Send(ctx, client, http.MethodGet, address, header, nil)
	if err != nil {
		return "", nil, err
	}
	if answer.Status != http.StatusOK {
		return "", nil, fmt.Errorf("%s answers %s: %s", address, answer.Line, answer.Body)
	}
	return string(answer.Body), answer.Header, nil
}

// LogInAtDesk sends the form of a desk's login as a browser does. It returns the page that
// follows and a client with the cookie of the session.
func LogInAtDesk(ctx context.Context, address string, form url.Values) (page string, session *http.Client, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", nil, err
	}
	session = &http.Client{Jar: jar}
	req, err := postForm(ctx, address, form)
	if err != nil {
		return "", nil, err
	}
	answer, err := read(session, req)
	return string(answer.Body), session, err
}

func postForm(ctx context.Context, address string, form url.Values) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err == nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return req, err
}

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
