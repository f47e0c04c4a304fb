package opdesk

import (
	"embed"
	"html/template"
)

//go:embed templates
var templateFiles embed.FS

// parseTemplate panics on a template that does not parse: it is embedded.
func parseTemplate() *template.Template {
	return template.Must(template.ParseFS(templateFiles, "templates/*.html"))
}

// page is all that a page shows, from its top down.
type page struct {
	Title, Style, Icon string
	// Narrow is set for a page with little on it.
	Narrow bool
	// Nav is empty for a page without a session.
	Nav []navItem
	// Code is what every form carries; empty without a session.
	Code            string
	Notice, Problem string
	Text            string
	// Links lead on, above the tables.
	Links  []link
	Facts  []fact
	Forms  []form
	Tables []table
	// Plain is text as it was written.
	Plain string
	// Next is the link to the next page of a list; empty on the last.
	Next string
}

// navItem is a link to a page that is always there.
type navItem struct {
	Href, Text string
	Current    bool
}

// link leads to another page, or out of the desk.
type link struct {
	Href, Text string
	Current    bool
}

// fact is a name and a value.
type fact struct {
	Name  string
	Value cell
}

// table is a list. A cell of a row belongs to the column of its place.
type table struct {
	Title, Text string
	Links       []link
	Columns     []string
	Rows        [][]cell
	// Empty is what is said where there are no rows.
	Empty string
}

// cell is a value: a text, links after it and a form below.
type cell struct {
	Text string
	// Code is set for identifiers, Warn for what needs somebody.
	Code, Warn bool
	Links      []link
	Form       *form
}

// form posts fields.
type form struct {
	Action, Title, Text, Button string
	// Code is that of the page, where the form stands in a table.
	Code   string
	Hidden []hidden
	Fields []field
}

type hidden struct{ Name, Value string }

// field is an input. Max is its most characters.
type field struct {
	ID, Name, Label, Type, Value, Autocomplete, Hint string
	Max                                              int
	Required                                         bool
}

// complete adds what all pages have.
func (v *visit) complete(p *page) {
	p.Style, p.Icon = v.assets.Style.Path, v.assets.Icon.Path
	if v.session.ID == "" {
		return
	}
	p.Code = v.formCode()
	for _, item := range []navItem{
		{Href: "/", Text: "Overview"}, {Href: "/alerts", Text: "Alerts"}, {Href: "/stuck", Text: "Stuck"}, {Href: "/unmatched", Text: "Unmatched money"},
		{Href: "/deliveries", Text: "Deliveries"}, {Href: "/merchants", Text: "Merchants"}, {Href: "/fees", Text: "Fees"},
		{Href: "/inventory", Text: "Inventory"}, {Href: "/audit", Text: "Audit"},
	} {
		item.Href = Root + item.Href
		item.Current = v.r.URL.Path == item.Href
		p.Nav = append(p.Nav, item)
	}
	for _, t := range p.Tables {
		for _, row := range t.Rows {
			for _, c := range row {
				if c.Form != nil {
					c.Form.Code = p.Code
				}
			}
		}
	}
	for i := range p.Forms {
		p.Forms[i].Code = p.Code
	}
}
