package opdesk

import (
	"net/http"
	"regexp"

	"github.com/durapay/durapay/deploy/runbooks"
)

// otherRunbook is a link to another runbook, in Markdown.
var otherRunbook = regexp.MustCompile(`\]\(([a-z-]+)\.md[)#]`)

// runbook shows a runbook of this version as it was written, with links to those
// that it names.
func (v *visit) runbook() error {
	text, found := runbooks.Text(v.param("name"))
	if !found {
		return &apiError{Text: "There is no such runbook.", Status: http.StatusNotFound}
	}
	links := []link{{Href: Root + "/runbooks/README", Text: "All runbooks"}}
	named := map[string]bool{}
	for _, found := range otherRunbook.FindAllStringSubmatch(text, -1) {
		if name := found[1]; !named[name] {
			named[name] = true
			links = append(links, link{Href: Root + "/runbooks/" + name, Text: name})
		}
	}
	return v.show(&page{Title: "Runbook", Links: links, Plain: text})
}
