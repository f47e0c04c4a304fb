package clients

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"time"
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
	home, err := openHome()
	if err != nil {
		return PluginKey{}, err
	}
	defer func() { _ = home.server.Close() }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		return PluginKey{}, err
	}
	b := &browser{http: &http.Client{Jar: jar}}
	link := baseURL + "/api-keys/authorize?" + url.Values{
		"permissions": permissions, "applicationName": {application}, "strict": {"true"}, "selectiveStores": {"true"}, "redirect": {home.url},
	}.Encode()
	err = b.open(ctx, link)
	for range pagesAtMost {
		if err != nil {
			return PluginKey{}, fmt.Errorf("connecting %s: %w", application, err)
		}
		select {
		case key := <-home.brought:
			return key, nil
		default:
			err = b.submit(ctx, url.Values{"email": {who.Email}, "password": {who.Password}, "answer": {"allow"}})
		}
	}
	return PluginKey{}, fmt.Errorf("connecting %s: the pages do not lead to it", application)
}

// home is the plugin's own page, to which a browser brings the key.
type home struct {
	url     string
	brought chan PluginKey
	server  *http.Server
}

func openHome() (*home, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("page of a plugin: %w", err)
	}
	h := &home{url: "http://" + listener.Addr().String() + "/settings?page=pay", brought: make(chan PluginKey, 1)}
	h.server = &http.Server{Handler: http.HandlerFunc(h.receive), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = h.server.Serve(listener) }() // ends with Connect
	return h, nil
}

func (h *home) receive(w http.ResponseWriter, r *http.Request) {
	key, err := readKey(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	select {
	case h.brought <- key:
	default: // one is enough
	}
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
