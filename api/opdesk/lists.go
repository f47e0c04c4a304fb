package opdesk

import (
	"net/url"
	"strings"
)

// here is the list that the page is about, also where a form of it was refused.
func (v *visit) here() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, Root+"/"), "/")
	return Root + "/" + first
}

// listQuery is the query of a list of the API, by that of its page: which part, and
// what of it. The API judges the values.
func (v *visit) listQuery(names ...string) string {
	query := url.Values{"limit": {"50"}}
	for _, name := range append(names, "cursor") {
		if value := v.r.URL.Query().Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return "?" + query.Encode()
}

// nextPage is the link to the part of a list that follows; empty without a cursor.
func (v *visit) nextPage(cursor string) string {
	if cursor == "" {
		return ""
	}
	query := url.Values{"cursor": {cursor}}
	if status := v.r.URL.Query().Get("status"); status != "" {
		query.Set("status", status)
	}
	return v.here() + "?" + query.Encode()
}

// openOrResolved are the links between the two halves of a list.
func (v *visit) openOrResolved() (links []link, resolved bool) {
	resolved = v.r.URL.Query().Get("status") == "resolved"
	return []link{
		{Href: v.here(), Text: "Open", Current: !resolved},
		{Href: v.here() + "?status=resolved", Text: "Resolved", Current: resolved},
	}, resolved
}
