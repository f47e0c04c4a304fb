package pages

import (
	"fmt"
	"html/template"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// texts is the catalogue of one language: message id to text. A text is
// plain, never HTML; {1}, {2} and so on stand for its arguments, so that a
// translation can reorder them. A counted text has one entry for each plural
// form of its language, by the names of Unicode's CLDR: id.one, id.few,
// id.other and so on.
type texts map[string]string

// and adds texts of another file.
func (t texts) and(more texts) texts {
	maps.Copy(t, more)
	return t
}

// catalogue is a language with its texts.
type catalogue struct {
	tag language.Tag
	// name is what the language's readers call it.
	name string
	// dir is the writing direction: ltr or rtl.
	dir   string
	texts texts
}

// catalogues lists the languages of the pages; the first is the fallback.
func catalogues() []catalogue {
	return []catalogue{
		{language.English, "English", "ltr", english()},
		{language.German, "Deutsch", "ltr", german()},
		{language.Spanish, "Español", "ltr", spanish()},
		{language.French, "Français", "ltr", french()},
		{language.Russian, "Русский", "ltr", russian()},
		{language.Arabic, "العربية", "rtl", arabic()},
	}
}

// translator looks texts up in one language.
type translator struct{ *dictionary }

// dictionary is a catalogue made ready: what can be known before a request is
// worked out once.
type dictionary struct {
	catalogue
	// code is the language as in attributes and addresses.
	code     string
	messages map[string][]piece
	// links lead from a page in this language to itself in the others.
	links template.HTML
}

// piece is a part of a text: words, and after them the argument of a number,
// or none for 0.
type piece struct {
	words    string
	argument int
}

var placeholder = regexp.MustCompile(`\{([1-9])\}`)

func newTranslator(c catalogue) translator {
	d := &dictionary{catalogue: c, code: c.tag.String(), messages: make(map[string][]piece, len(c.texts))}
	for id, text := range c.texts {
		d.messages[id] = piecesOf(text)
	}
	return translator{d}
}

func piecesOf(text string) []piece {
	var pieces []piece
	from := 0
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		pieces = append(pieces, piece{text[from:at[0]], int(text[at[0]+1] - '0')})
		from = at[1]
	}
	return append(pieces, piece{words: text[from:]})
}

// Lang is the language for the lang attribute.
func (t translator) Lang() string { return t.code }

// Dir is the writing direction for the dir attribute.
func (t translator) Dir() string { return t.dir }

// Text is the text of a message with its arguments filled in. An unknown
// message shows as its id, which the tests of the templates catch.
func (t translator) Text(id string, args ...any) string {
	pieces, known := t.messages[id]
	switch {
	case !known:
		return id
	case len(pieces) == 1:
		return pieces[0].words
	}
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.words)
		if p.argument > 0 && p.argument <= len(args) {
			b.WriteString(t.isolated(fmt.Sprint(args[p.argument-1])))
		}
	}
	return b.String()
}

// isolated keeps the direction of a number or a name apart from that of the
// text around it: between the signs U+2068 and U+2069 it runs in its own.
func (t translator) isolated(argument string) string {
	if t.dir == "ltr" {
		return argument
	}
	return "\u2068" + argument + "\u2069"
}

// Count is a text in the plural form that n takes; n is its first argument.
func (t translator) Count(id string, n int, args ...any) string {
	return t.Text(id+"."+pluralForm(t.tag, n), append([]any{n}, args...)...)
}

// pluralForm is the name of the form that a number of things takes.
func pluralForm(tag language.Tag, n int) string {
	switch plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0) {
	case plural.Zero:
		return "zero"
	case plural.One:
		return "one"
	case plural.Two:
		return "two"
	case plural.Few:
		return "few"
	case plural.Many:
		return "many"
	default:
		return "other"
	}
}

// month is the name of a month as it stands in a date.
func (t translator) month(number int) string { return t.Text("month." + strconv.Itoa(number)) }
