package opdesk

import (
	"cmp"
	"fmt"
	"html/template"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/wire"
)

// Parts of pages.
type (
	link   = kit.Link
	cell   = kit.Cell
	form   = kit.Form
	field  = kit.Field
	hidden = kit.Hidden
)

// newKit returns the layout of the pages. The pages are only in English, like the runbooks.
func newKit(log *slog.Logger) *kit.Kit {
	english := []kit.Catalogue{{Tag: language.English, Name: "English", Direction: "ltr", Texts: kit.Texts{}}}
	return kit.NewSheets(Root+"/static/", english, log)
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
	// Finds is set if the field that finds anything begins the content, where a phone and a
	// keyboard reach it first. Otherwise it is in the bar.
	Finds bool
	// Links are shown above the tables.
	Links  []link
	Facts  []fact
	Forms  []form
	Tables []table
	// Timeline is what happened, the oldest first.
	Timeline     []operator.Step
	TimelineText string
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
func (v *visit) sheet(p *page) *kit.Page {
	s := &kit.Page{Frame: v.kit.Frame(v.r), Narrow: p.Narrow, Notice: p.Notice, Problem: p.Problem, Text: p.Text}
	s.Title, s.Set, s.SendsOrigin, s.Skip = p.Title, "Operators", true, "To the content"
	if p.Finds {
		s.Parts = append(s.Parts, kit.Part{Forms: []form{v.findForm()}})
	}
	if len(p.Links) > 0 || len(p.Facts) > 0 {
		first := kit.Part{Links: p.Links}
		for _, f := range p.Facts {
			first.Facts = append(first.Facts, kit.Fact(f))
		}
		s.Parts = append(s.Parts, first)
	}
	for i, t := range p.Tables {
		part := kit.Part{Title: t.Title, Text: t.Text, Links: t.Links, Table: &kit.Table{Label: t.Title, Columns: t.Columns, Rows: t.Rows, Empty: t.Empty}}
		if p.Next != "" && i == len(p.Tables)-1 {
			part.Next = &link{Href: p.Next, Text: "Next page"}
		}
		s.Parts = append(s.Parts, part)
	}
	if len(p.Timeline) > 0 {
		s.Parts = append(s.Parts, kit.Part{Title: "Timeline", Text: p.TimelineText, Events: events(p.Timeline)})
	}
	for _, f := range p.Forms {
		s.Parts = append(s.Parts, kit.Part{Forms: []form{f}})
	}
	if p.Prose != "" {
		s.Parts = append(s.Parts, kit.Part{Prose: p.Prose})
	}
	if v.problem != "" {
		s.Problem = v.problem
		v.refill(s)
	}
	if v.session.ID != "" {
		v.complete(s, p.Finds)
	}
	return s
}

// events returns the steps of a timeline as the layout shows them.
func events(steps []operator.Step) []kit.Event {
	list := make([]kit.Event, len(steps))
	for i, s := range steps {
		list[i] = kit.Event{At: moment(&s.At), Text: s.What, Detail: s.Detail}
	}
	return list
}

// complete adds the parts that all pages of a session have.
func (v *visit) complete(s *kit.Page, finds bool) {
	s.NavLabel = "Pages"
	for _, item := range []link{
		{Href: "/", Text: "Overview"}, {Href: "/health", Text: "Health"}, {Href: "/alerts", Text: "Alerts"}, {Href: "/stuck", Text: "Stuck"},
		{Href: "/charges", Text: "Charges"}, {Href: "/payouts", Text: "Payouts"}, {Href: "/refunds", Text: "Refunds"}, {Href: "/trades", Text: "Trades"},
		{Href: "/unmatched", Text: "Unmatched money"}, {Href: "/deliveries", Text: "Deliveries"}, {Href: "/merchants", Text: "Merchants"},
		{Href: "/fees", Text: "Fees"}, {Href: "/inventory", Text: "Inventory"}, {Href: "/audit", Text: "Audit"},
	} {
		item.Href = Root + item.Href
		item.Current = v.r.URL.Path == item.Href
		item.Within = item.Href != Root+"/" && strings.HasPrefix(v.r.URL.Path, item.Href+"/")
		s.Nav = append(s.Nav, item)
	}
	if !finds {
		s.Corner = []form{v.findForm()}
	}
	s.Corner = append(s.Corner, form{Action: Root + "/log-out", Button: "Log out", Small: true})
	s.Sign(v.formCode())
}

// fill adds a row of cells for each row of a list.
func fill[R any](t table, rows []R, cells func(R) []cell) table {
	for _, r := range rows {
		t.Rows = append(t.Rows, cells(r))
	}
	return t
}

// moment shows a time of the API to the second, or a dash if it is missing.
func moment(at *wire.Time) string {
	if at == nil {
		return "–"
	}
	return time.Time(*at).UTC().Format("2006-01-02 15:04:05 UTC")
}

// textOf shows a value of the API; empty if it is missing.
func textOf[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}

// orDash shows a text, or a dash if it is missing.
func orDash[T ~string](text *T) string { return dash(textOf(text)) }

// dash shows a text, or a dash if it is empty.
func dash(text string) string { return cmp.Or(text, "–") }

// xmr shows an amount in XMR.
func xmr(n money.Piconero) string { return n.String() + " XMR" }

// orConfigured shows a merchant's own value, if there is one.
func orConfigured[T any](value *T) string { return cmp.Or(textOf(value), "as configured") }

// plain returns a cell with a text; code returns one with an identifier.
func plain(text string) cell { return cell{Text: text} }

func code(text string) cell { return cell{Text: text, Code: text != "–"} }

// merchantCell returns a cell that leads to the merchant's page; a dash without one.
func merchantCell(id *string) cell { return rowLink("merchants", textOf(id)) }

// resolveForm returns a form that records what the operator did about a row of a list.
func resolveForm(list string, id int64, button string) *form {
	return noteForm(fmt.Sprintf("%s/%s/%d/resolve", Root, list, id), strconv.FormatInt(id, 10), button)
}

// noteForm returns a form with one field, for a note about the row with an identifier.
func noteForm(action, id, button string) *form {
	return &form{
		Action: action, Button: button,
		Fields: []field{{
			ID: "note-" + id, Name: "note", Label: "What was done", Type: "text", Autocomplete: "off", Max: 500, Required: true,
		}},
	}
}

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
	for _, name := range []string{"status", "mode", "merchant_id"} {
		query.Set(name, v.r.URL.Query().Get(name))
	}
	return v.here() + encoded(query)
}

// openOrResolved returns the links between the two halves of a list.
func (v *visit) openOrResolved() (links []link, resolved bool) {
	resolved = v.r.URL.Query().Get("status") == "resolved"
	return []link{
		{Href: v.here(), Text: "Open", Current: !resolved},
		{Href: v.here() + "?status=resolved", Text: "Resolved", Current: resolved},
	}, resolved
}
