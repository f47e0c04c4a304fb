package desk

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/sheet"
)

// registerStrays answers the addresses of forms where somebody opens one as a page: after
// a form was refused a browser shows its address, and somebody reloads it or chooses
// another language. It leads to the nearest page above it.
func (d *Desk) registerStrays(router chi.Router, all []route) {
	pages := map[string]bool{}
	for _, rt := range all {
		if rt.method == http.MethodGet {
			pages[rt.pattern] = true
		}
	}
	for _, rt := range all {
		if pages[rt.pattern] {
			continue
		}
		pages[rt.pattern] = true
		above, levels := rt.pattern, 0
		for above != "" && (levels == 0 || !pages[above]) {
			above, levels = above[:strings.LastIndexByte(above, '/')], levels+1
		}
		router.Get(rt.pattern, func(w http.ResponseWriter, r *http.Request) {
			v := &visit{Desk: d, w: w, r: r, status: http.StatusOK}
			v.keepLanguage()
			_ = v.redirect(pathAbove(r.URL.EscapedPath(), levels))
		})
	}
}

// pathAbove is a path without so many of its last parts.
func pathAbove(path string, levels int) string {
	for range levels {
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
	if path == "" {
		return "/"
	}
	return path
}

// notFound answers a browser that looks for a page that is not there. It says so to other
// clients as next does.
func (d *Desk) notFound(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !read || !strings.Contains(r.Header.Get("Accept"), "text/html") || isOfAPI(r.URL.Path) {
			next(w, r)
			return
		}
		v := &visit{Desk: d, w: w, r: r}
		v.keepLanguage()
		v.status = http.StatusNotFound
		_ = v.show(&sheet.Page{Narrow: true, Text: v.t("not_found.text"), Parts: []sheet.Part{{Buttons: []sheet.Link{{Href: "/", Text: v.t("nav.home")}}}}}, v.t("not_found.title"))
	}
}

// isOfAPI says whether a path is of the API, whose answers are for programs.
func isOfAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1/")
}
