package browser

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Site is a merchant's own web site: one plain HTML page.
type Site struct {
	// URL is the address of the page.
	URL    string
	server *http.Server
}

// Host serves a page with a piece of HTML in it, on a free port of 127.0.0.1.
func Host(title, piece string) (*Site, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a port of this machine is had at once
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	page := "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>" + title + "</title>\n<h1>" + title +
		"</h1>\n" + piece + "\n</html>\n"
	s := &Site{URL: "http://" + listener.Addr().String() + "/", server: &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, page) // the visitor is gone if this fails
		}),
		ReadHeaderTimeout: 10 * time.Second,
	}}
	go func() { _ = s.server.Serve(listener) }() // ends with Close
	return s, nil
}

// Close stops the server at once.
func (s *Site) Close() error { return s.server.Close() }
