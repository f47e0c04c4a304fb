package sheet

import (
	"embed"
	"html/template"

	"github.com/durapay/durapay/api/pages/kit"
)

//go:embed templates
var templateFiles embed.FS

//go:embed assets/sheet.css
var style []byte

// Template is the name of the one template of pages.
const Template = "sheet.html"

// New is a kit of such pages; their files are served below a folder, which begins and
// ends with a slash.
func New(folder string, build func(kit.Templates) *kit.Kit) *kit.Kit {
	return build(kit.Parse(templateFiles)).Styled(folder, "desk.css", style)
}

// Page is all that a page shows, from its top down.
type Page struct {
	kit.Frame
	// Narrow is set for a page with little on it.
	Narrow bool
	// Home is where the name of the set leads; empty for nowhere.
	Home string
	// Skip is the text of a link past the bar, for those who go by keyboard.
	Skip string
	// Nav are links to the pages that are always there; NavLabel says what they are.
	// Empty for a page without a session.
	Nav      []Link
	NavLabel string
	// Corner are small forms at the end of the bar.
	Corner []Form
	// Notice says what was done, Problem what was not. ProblemLang is the language of
	// the problem where it is not that of the page.
	Notice, Problem, ProblemLang string
	Text                         string
	Parts                        []Part
	// Later makes the parts while the beginning of the page is on its way; nil where they
	// are there.
	Later func() []Part
}

// Body is the parts of the page.
func (p *Page) Body() []Part {
	if p.Later != nil {
		return p.Later()
	}
	return p.Parts
}

// Part is a section of a page: what of it is there, in the order of its fields.
type Part struct {
	Title, Text string
	Links       []Link
	// Buttons are links that stand out.
	Buttons []Link
	Facts   []Fact
	Chart   *Chart
	Image   *Image
	// Copy is a text to be copied, as it is.
	Copy  string
	Table *Table
	// Events are what happened, in order.
	Events []Event
	Forms  []Form
	// Folded is set where the forms are hidden below Title until somebody opens them, Row
	// where they are buttons that stand in a row.
	Folded, Row bool
	// Plain is a text as it was written.
	Plain string
	// Prose is a text with headings.
	Prose template.HTML
	// Next leads to what follows of a list; nil at its end.
	Next *Link
}

// Link leads to another page.
type Link struct {
	Href, Text string
	// Current is set where it leads to the page that it stands on, Within where that
	// page belongs to the one it leads to.
	Current, Within bool
}

// Fact is a name and a value.
type Fact struct {
	Name  string
	Value Cell
}

// Table is a list. A cell of a row belongs to the column of its place.
type Table struct {
	// Label is what the table shows, for those who do not see it under its heading.
	Label   string
	Columns []string
	Rows    [][]Cell
	// Empty is what is said where there are no rows.
	Empty string
}

// Cell is a value: a text, links after it and a form below.
type Cell struct {
	Text string
	// Href is where the text leads; empty for nowhere.
	Href string
	// Code is set for identifiers, Warn for what needs somebody, Good for what is well.
	Code, Warn, Good bool
	Links            []Link
	Form             *Form
}

// Event is something that happened.
type Event struct {
	// At is when, Text what; Detail is more of it, or empty.
	At, Text, Detail string
	Warn             bool
}

// Image is a picture, at an address or written into the page, which must allow it.
type Image struct {
	Src, Alt      string
	Inline        template.URL
	Width, Height int
}

// Form posts fields.
type Form struct {
	Action, Title, Text, Button string
	// Get is set for a form that asks and changes nothing.
	Get bool
	// Small is set for a form that is one button in a line, Lesser for a button that
	// is not the first to press.
	Small, Lesser bool
	// First is set for the first to press of small ones.
	First bool
	// Sure is set for a form in a table that takes something away: its button is behind
	// this text, so that it takes two presses. Empty for one.
	Sure string
	// Code is what tells that the form is of the session; see Page.Sign.
	Code   string
	Hidden []Hidden
	Fields []Field
	// Keys are buttons that each send a value, as a keypad has them; their name is key.
	// The page begins at the one that was Pressed.
	// KeysLabel says what they are, KeyNames what those are called that are no digit.
	Keys      []string
	KeysLabel string
	KeyNames  map[string]string
	Pressed   string
}

// Hidden is a value that a form hands on.
type Hidden struct{ Name, Value string }

// Field is an input.
type Field struct {
	// ID is Name where it is empty.
	ID, Name, Label, Value, Autocomplete, Hint string
	// Type is that of the input; "select" for Options, "area" for several lines and
	// "checkbox" for one of Options or a switch.
	Type string
	// Max is its most characters.
	Max      int
	Required bool
	Checked  bool
	// Decimal is set for an amount, Digits for a code of digits: a phone shows its keys
	// for numbers. Exact is set for what is no word, as an address: a phone corrects
	// nothing in it.
	Decimal, Digits, Exact bool
	Options                []Option
}

// Option is one of several values.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Key is the identifier of the input.
func (f Field) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

// Sign gives every form of the page, also those in tables, the code of the session.
func (p *Page) Sign(code string) {
	sign := func(forms []Form) {
		for i := range forms {
			forms[i].Code = code
		}
	}
	sign(p.Corner)
	for _, part := range p.Parts {
		sign(part.Forms)
		for _, fact := range part.Facts {
			fact.Value.sign(code)
		}
		if part.Table != nil {
			for _, row := range part.Table.Rows {
				for _, cell := range row {
					cell.sign(code)
				}
			}
		}
	}
}

func (c Cell) sign(code string) {
	if c.Form != nil {
		c.Form.Code = code
	}
}
