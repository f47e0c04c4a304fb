package opdesk

import (
	"html/template"
	"log/slog"
	"strings"

	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/pages/sheet"
)

// Parts of pages.
type (
	link   = sheet.Link
	cell   = sheet.Cell
	form   = sheet.Form
	field  = sheet.Field
	hidden = sheet.Hidden
)

// newKit returns the layout of the pages. The pages are only in English, like the runbooks.
func newKit(log *slog.Logger) *kit.Kit {
	english := []kit.Catalogue{{Tag: language.English, Name: "English", Direction: "ltr", Texts: kit.Texts{}}}
	return sheet.New(Root+"/static/", func(t kit.Templates) *kit.Kit { return kit.New(t, english, log) })
}

// fact is a name and a value.
type fact struct {
	Name  string
	Value cell
}

// page is the content of a page, from top to bottom.
type page struct {
	Title string
	// Narrow is set for a page with little content.
	Narrow          bool
	Notice, Problem string
	Text            string
	// Links are shown above the tables.
	Links  []link
	Facts  []fact
	Forms  []form
	Tables []table
	// Prose is a text with headings.
	Prose template.HTML
	// Next is the link to the next page of a list; empty on the last.
	Next string
}

// table is a list under a title.
type table struct {
	Title, Text string
	Links       []link
	Columns     []string
	Rows        [][]cell
	// Empty is the text for a table without rows.
	Empty string
}

// sheet converts the page to parts and adds the parts that all pages have.
func (v *visit) sheet(p *page) *sheet.Page {
	s := &sheet.Page{Frame: v.kit.Frame(v.r), Narrow: p.Narrow, Notice: p.Notice, Problem: p.Problem, Text: p.Text}
	s.Title, s.Set, s.TellsOrigin, s.Skip = p.Title, "Operators", true, "To the content"
	if len(p.Links) > 0 || len(p.Facts) > 0 {
		first := sheet.Part{Links: p.Links}
		for _, f := range p.Facts {
			first.Facts = append(first.Facts, sheet.Fact(f))
		}
		s.Parts = append(s.Parts, first)
	}
	for i, t := range p.Tables {
		part := sheet.Part{Title: t.Title, Text: t.Text, Links: t.Links, Table: &sheet.Table{Label: t.Title, Columns: t.Columns, Rows: t.Rows, Empty: t.Empty}}
		if p.Next != "" && i == len(p.Tables)-1 {
			part.Next = &link{Href: p.Next, Text: "Next page"}
		}
		s.Parts = append(s.Parts, part)
	}
	for _, f := range p.Forms {
		s.Parts = append(s.Parts, sheet.Part{Forms: []form{f}})
	}
	if p.Prose != "" {
		s.Parts = append(s.Parts, sheet.Part{Prose: p.Prose})
	}
	if v.problem != "" {
		s.Problem = v.problem
		v.refill(s)
	}
	if v.session.ID != "" {
		v.complete(s)
	}
	return s
}

// complete adds the parts that all pages of a session have.
func (v *visit) complete(s *sheet.Page) {
	s.NavLabel = "Pages"
	for _, item := range []link{
		{Href: "/", Text: "Overview"}, {Href: "/alerts", Text: "Alerts"}, {Href: "/stuck", Text: "Stuck"}, {Href: "/unmatched", Text: "Unmatched money"},
		{Href: "/deliveries", Text: "Deliveries"}, {Href: "/merchants", Text: "Merchants"}, {Href: "/fees", Text: "Fees"},
		{Href: "/inventory", Text: "Inventory"}, {Href: "/audit", Text: "Audit"},
	} {
		item.Href = Root + item.Href
		item.Current = v.r.URL.Path == item.Href
		item.Within = item.Href != Root+"/" && strings.HasPrefix(v.r.URL.Path, item.Href+"/")
		s.Nav = append(s.Nav, item)
	}
	s.Corner = []form{{Action: Root + "/log-out", Button: "Log out", Small: true}}
	s.Sign(v.formCode())
}
