package sanctions

import (
	"strings"
	"time"
)

// closeDate reads the date of issue: 09/20/2024 in sdn.xml, three elements in
// sdn_advanced.xml. Without a readable date, the list has none.
func (p *parser) closeDate(name, text string) {
	switch name {
	case "Publish_Date":
		p.published("1/2/2006", text)
	case "Year", "Month", "Day":
		if p.inIssue {
			p.issue[map[string]int{"Year": 0, "Month": 1, "Day": 2}[name]] = text
		}
	case "DateOfIssue":
		p.inIssue = false
		p.published("2006-1-2", strings.Join(p.issue[:], "-"))
	}
}

func (p *parser) published(layout, text string) {
	if at, err := time.Parse(layout, text); err == nil {
		p.list.PublishedAt = at
	}
}
