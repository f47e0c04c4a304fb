package opdesk

import (
	"net/url"
	"strings"
)

// here returns the path of the list that the page shows, also after a form of the list was
// refused.
func (v *visit) here() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(v.r.URL.Path, Root+"/"), "/")
	return Root + "/" + first
}

// listQuery returns the query for a list of the API: the given parameters and the cursor of
// the page's own query. The API validates the values.
func (v *visit) listQuery(names ...string) string {
	query := url.Values{"limit": {"50"}}
	for _, name := range append(names, "cursor") {
		if value := v.r.URL.Query().Get(name); value != "" {
			query.Set(name, value)
		}
	}
	return "?" + query.Encode()
}

// nextPage returns the link to the next part of a list; empty without a cursor.
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

// openOrResolved returns the links between the two halves of a list.
func (v *visit) openOrResolved() (links []link, resolved bool) {
	resolved = v.r.URL.Query().Get("status") == "resolved"
	return []link{
		{Href: v.here(), Text: "Open", Current: !resolved},
		{Href: v.here() + "?status=resolved", Text: "Resolved", Current: resolved},
	}, resolved
}
