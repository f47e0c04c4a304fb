package kit

import (
	"embed"
	"html/template"
	"log/slog"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/durapay/durapay/internal/money"
)

//go:embed sheet/sheet.html
var sheetTemplate embed.FS

//go:embed sheet/sheet.css
var sheetStyle []byte

// SheetTemplate is the name of the template of a Page. There is no other for the desks, so that all
// of their pages look alike, work alike and are equally accessible.
const SheetTemplate = "sheet.html"

// NewSheets returns a kit for pages that are made of parts. Their files are served below a folder,
// which begins and ends with a slash.
func NewSheets(folder string, all []Catalogue, log *slog.Logger) *Kit {
	return New(parse(sheetTemplate, "sheet/*.html"), all, log).styled(folder, "desk.css", sheetStyle)
}

// Page is the content of a page, from top to bottom.
type Page struct {
	Frame
	// Narrow is set for a page with little content.
	Narrow bool
	// Home is the link of the set's name; empty for none.
	Home string
	// Skip is the text of a link past the bar, for people who use the keyboard.
	Skip string
	// Nav are links to the pages that are always available; NavLabel describes them. Empty for
	// a page without a session.
	Nav      []Link
	NavLabel string
	// MenuLabel is the name of the menu that holds Nav and Corner on a phone.
	MenuLabel string
	// Mode says whether the page is about real money; empty for none.
	Mode string
	// ChipsLabel describes the chips of the page's list.
	ChipsLabel string
	// Sub are links to the other pages of the section that the page belongs to; SubLabel names the
	// section.
	Sub      []Link
	SubLabel string
	// Corner are small forms at the end of the bar.
	Corner []Form
	// Notice reports a success, Problem an error.
	Notice, Problem string
	Text            string
	Parts           []Part
	// Later makes the parts while the beginning of the page is sent; nil if Parts has them.
	Later func() []Part
}

// Body returns the parts of the page.
func (p *Page) Body() []Part {
	if p.Later != nil {
		return p.Later()
	}
	return p.Parts
}

// Part is a section of a page. It shows the fields that are set, in their order.
type Part struct {
	Title, Text string
	Links       []Link
	// Chips are links that each show a list with one filter.
	Chips []Link
	// Buttons are links that look like buttons.
	Buttons []Link
	Facts   []Fact
	Chart   *Chart
	Image   *Image
	// Copy is a text that the reader can copy unchanged.
	Copy  string
	Table *Table
	// Events are past events, in order.
	Events []Event
	Forms  []Form
	// Wide is set for a part that takes both columns of a wide screen; see Broad.
	Wide bool
	// Folded is set if the forms are hidden below Title until the reader opens them. Row is
	// set if they are buttons in one row.
	Folded, Row bool
	// Plain is a text that is shown exactly as written.
	Plain string
	// Prose is a text with headings.
	Prose template.HTML
	// Next links to the next part of a list; nil at its end.
	Next *Link
}

// Link leads to another page.
type Link struct {
	Href, Text string
	// Wallet is a monero: URI in place of Href: it opens a wallet.
	Wallet template.URL
	// Current is set if the link leads to the page itself, Within if the page belongs to the
	// link's page.
	Current, Within bool
}

// Fact is a name and a value.
type Fact struct {
	Name  string
	Value Cell
}

// Table is a list. Each cell of a row belongs to the column at the same position.
type Table struct {
	// Label describes the table, for readers who do not see it under its heading.
	Label   string
	Columns []string
	Rows    [][]Cell
	// Empty is the text for a table without rows.
	Empty string
	// Brief is set for a table whose rows a phone shows as two columns without labels: the cells
	// at even positions at the start, the others at the end.
	Brief bool
}

// Cell is a value: a text, links after it and a form below it.
type Cell struct {
	Text string
	// Href is the link of the text; empty for none.
	Href string
	// Code is set for identifiers, Warn for a value that needs attention, Good for a good one.
	Code, Warn, Good bool
	// Row is set if the link covers the row of the cell.
	Row bool
	// WideOnly is set for a cell that a phone leaves out.
	WideOnly bool
	Links    []Link
	Form     *Form
}

// longWord is the length of a word, in characters, that a column may have to break.
const longWord = 24

// Class returns the style classes of the cell.
func (c Cell) Class() string {
	var classes []string
	if c.Row && c.Href != "" {
		classes = append(classes, "leads")
	}
	if c.WideOnly {
		classes = append(classes, "wide-only")
	}
	if c.Text == "" && c.Form != nil {
		classes = append(classes, "acts")
	}
	if slices.ContainsFunc(strings.Fields(c.Text), func(word string) bool { return utf8.RuneCountInString(word) > longWord }) {
		classes = append(classes, "long")
	}
	return strings.Join(classes, " ")
}

// Event is a past event.
type Event struct {
	// At is the time and Text describes the event; Detail is a further text, or empty.
	At, Text, Detail string
	Warn             bool
}

// Image is a picture, at an address or inline; the page must allow inline images.
type Image struct {
	Src, Alt      string
	Inline        template.URL
	Width, Height int
}

// Form posts fields.
type Form struct {
	Action, Title, Text, Button string
	// Get is set for a form that only reads.
	Get bool
	// Small is set for a form that is one button in a line, Lesser for a button that is not
	// the main one.
	Small, Lesser bool
	// Grid is set for a form whose fields stand side by side where there is room.
	Grid bool
	// Search is set for a field in the bar that searches.
	Search bool
	// First is set for the main one of several small buttons.
	First bool
	// Sure is set for a form that does harm if it is pressed by mistake: its fields and its button are
	// behind this text, so that it takes two presses. Warning then says what the form does. Open
	// is set if they are shown, because the form was refused. Sure is empty for one press.
	Sure, Warning string
	Open          bool
	// Code proves that the form is of the session; see Page.Sign.
	Code   string
	Hidden []Hidden
	Fields []Field
	// Keys are buttons that each send a value, like those of a keypad; their name is key. The
	// page puts the focus on the key that was Pressed. KeysLabel describes the keys, and
	// KeyNames names the keys that are not digits.
	Keys      []string
	KeysLabel string
	KeyNames  map[string]string
	Pressed   string
}

// Hidden is a hidden value of a form.
type Hidden struct{ Name, Value string }

// Field is an input.
type Field struct {
	// ID defaults to Name.
	ID, Name, Label, Value, Autocomplete, Hint string
	// Type is the type of the input: also "select" for one of Options, "area" for several lines,
	// "radio" for one of Options that are all shown, and "checkbox" for several of Options or a switch.
	Type string
	// Fields are those of a "group", which is hidden below Label until the reader opens it. Open is
	// set if it is open from the beginning.
	Fields []Field
	Open   bool
	// Max is the maximum number of characters.
	Max      int
	Required bool
	Checked  bool
	// Decimal is set for an amount, Digits for a code of digits: a phone shows its keys for
	// numbers. Exact is set for text that is not words, such as an address: a phone does not
	// autocorrect it.
	Decimal, Digits, Exact bool
	Options                []Option
}

// Option is one of several values. Hint explains it.
type Option struct {
	Value, Text, Hint string
	Chosen            bool
}

// Grouped reports whether the field is a group of boxes.
func (f Field) Grouped() bool {
	return f.Type == "group" || f.Type == "radio" || (f.Type == "checkbox" && len(f.Options) > 0)
}

// Key returns the identifier of the input.
func (f Field) Key() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Name
}

// Sign sets the session's code on every form of the page, also on those in facts and tables.
func (p *Page) Sign(code string) {
	p.Forms(func(f *Form) { f.Code = code })
}

// Forms calls each with every form of the page.
func (p *Page) Forms(each func(*Form)) {
	for i := range p.Corner {
		each(&p.Corner[i])
	}
	for i := range p.Parts {
		part := &p.Parts[i]
		for j := range part.Forms {
			each(&part.Forms[j])
		}
		for _, cell := range part.Cells() {
			if cell.Form != nil {
				each(cell.Form)
			}
		}
	}
}

// Broad reports whether the part takes both columns of a wide screen.
func (p *Part) Broad() bool {
	alone := len(p.Facts) == 0 && len(p.Forms) == 0 && p.Image == nil && p.Chart == nil && len(p.Events) == 0 && p.Copy == ""
	return p.Wide || p.Table != nil || p.Plain != "" || p.Prose != "" || p.Row || alone
}

// Cells returns the cells of the part's facts and of its table.
func (p *Part) Cells() (all []*Cell) {
	for i := range p.Facts {
		all = append(all, &p.Facts[i].Value)
	}
	if p.Table != nil {
		for _, row := range p.Table.Rows {
			for i := range row {
				all = append(all, &row[i])
			}
		}
	}
	return all
}

// Chart is a small picture of numbers, one bar for each.
type Chart struct {
	// Label describes in words what the bars show.
	Label string
	Bars  []Bar
	// First and Last are the texts below the first and the last bar.
	First, Last string
	// Width and Tall are the size of the picture, and Broad is the width of a bar.
	Width, Tall, Broad int
}

// Bar is one number.
type Bar struct {
	// Text describes the number.
	Text string
	// X, Y and Height are its position and size, in units of the picture.
	X, Y, Height int
}

// Sizes in units of the picture: each bar takes barStep, of which barWidth is drawn.
const (
	barStep     = 10
	barWidth    = 7
	chartHeight = 60
)

// NewChart draws amounts; texts describe them.
func NewChart(label string, values []money.Piconero, texts []string) *Chart {
	c := &Chart{Label: label, Bars: make([]Bar, len(values)), Width: len(values) * barStep, Tall: chartHeight, Broad: barWidth}
	most := slices.Max(append([]money.Piconero{1}, values...))
	for i, v := range values {
		high, low := bits.Mul64(uint64(v), chartHeight)
		height, _ := bits.Div64(high, low, uint64(most))
		tall := int(height)
		if v > 0 {
			tall = max(tall, 1)
		}
		c.Bars[i] = Bar{Text: texts[i], X: i * barStep, Y: chartHeight - tall, Height: tall}
	}
	return c
}
