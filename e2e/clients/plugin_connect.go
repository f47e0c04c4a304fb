package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"slices"
)

// PluginMerchant is who connects a plugin.
type PluginMerchant struct{ Email, Password string }

// PluginKey is what a plugin gets.
type PluginKey struct {
	// APIKey is the key's text, StoreID the store that it opens.
	APIKey, StoreID string
	// Permissions are those that were granted, each followed by a colon and the store.
	Permissions []string
}

// pagesAtMost bounds the pages from the link to the plugin's own.
const pagesAtMost = 8

// Connect opens the link of an application that asks for permissions, logs in, agrees,
// and returns what the browser brings to the application's own page. It is an error
// when the pages lead elsewhere.
func Connect(ctx context.Context, baseURL, application string, who PluginMerchant, permissions ...string) (PluginKey, error) {
	brought := make(chan PluginKey, 1)
	// The plugin's own page, to which a browser brings the key.
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, err := readKey(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case brought <- key:
		default: // one is enough
		}
	}))
	defer home.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		return PluginKey{}, err
	}
	b := &browser{http: &http.Client{Jar: jar}}
	link := baseURL + "/api-keys/authorize?" + url.Values{
		"permissions": permissions, "applicationName": {application}, "strict": {"true"}, "selectiveStores": {"true"}, "redirect": {home.URL + "/settings?page=pay"},
	}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, http.NoBody)
	if err == nil {
		err = b.visit(req)
	}
	for range pagesAtMost {
		if err != nil {
			return PluginKey{}, fmt.Errorf("connecting %s: %w", application, err)
		}
		select {
		case key := <-brought:
			return key, nil
		default:
			err = b.submit(ctx, url.Values{"email": {who.Email}, "password": {who.Password}, "answer": {"allow"}})
		}
	}
	return PluginKey{}, fmt.Errorf("connecting %s: the pages do not lead to it", application)
}

// browser opens pages and submits their forms. It has no script.
type browser struct {
	http *http.Client
	// form is that of the page that is open and is posted; nil where it has none.
	form *form
}

func (b *browser) submit(ctx context.Context, known url.Values) error {
	if b.form == nil {
		return errors.New("the page has no form")
	}
	values := b.form.fields
	for name := range values {
		if known.Has(name) {
			values[name] = known[name]
		}
	}
	req, err := postForm(ctx, b.form.action.String(), values)
	if err != nil {
		return err
	}
	return b.visit(req)
}

func (b *browser) visit(req *http.Request) error {
	page, err := read(b.http, req)
	if err != nil {
		return err
	}
	if page.Status != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", page.URL.Path, page.Line, page.Body)
	}
	_, forms, err := readPage(page.URL, bytes.NewReader(page.Body))
	b.form = nil
	if i := slices.IndexFunc(forms, func(f form) bool { return f.method == http.MethodPost }); i >= 0 {
		b.form = &forms[i]
	}
	return err
}

func readKey(r *http.Request) (PluginKey, error) {
	if r.Method != http.MethodPost || r.URL.Query().Get("page") != "pay" {
		return PluginKey{}, errors.New("a key is brought by a form to the address that was asked for")
	}
	if err := r.ParseForm(); err != nil {
		return PluginKey{}, err
	}
	return PluginKey{r.PostForm.Get("apiKey"), r.PostForm.Get("userId"), r.PostForm["permissions[]"]}, nil
}
