package desk

import (
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/sheet"
)

// registerStrays handles the address of a form that is opened as a page. After a form was
// refused, a browser shows its address, and the person may reload it or choose another
// language. The request is redirected to the nearest page above it.
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

// pathAbove returns a path without its last levels parts.
func pathAbove(path string, levels int) string {
	for range levels {
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
	}
	if path == "" {
		return "/"
	}
	return path
}

// notFound shows a page to a browser that asks for a path that does not exist. Other clients
// get the answer of next.
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

// isOfAPI reports whether a path belongs to the API, whose clients are programs.
func isOfAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1/")
}
