package kit

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// Texts is the catalogue of one language: message id to text. A text is plain, never HTML.
// {1}, {2} and so on stand for its arguments, so that a translation can reorder them. A
// counted text has one entry for each plural form of its language, with the names of Unicode's
// CLDR: id.one, id.few, id.other and so on.
type Texts map[string]string

// Catalogue is a language with its texts.
type Catalogue struct {
	Tag language.Tag
	// Name is the language's own name.
	Name string
	// Direction is the writing direction: ltr or rtl.
	Direction string
	Texts     Texts
}

// WithTexts returns catalogues with the texts of a package added: files has texts/<tag>.json for
// each language. The files are embedded, so it panics if one is missing or is not JSON.
func WithTexts(files fs.FS, catalogues []Catalogue) []Catalogue {
	all := slices.Clone(catalogues)
	for i, c := range all {
		texts := Texts{}
		maps.Copy(texts, c.Texts)
		file, err := fs.ReadFile(files, "texts/"+c.Tag.String()+".json")
		if err == nil {
			err = json.Unmarshal(file, &texts)
		}
		if err != nil {
			panic(fmt.Errorf("texts in %s: %w", c.Name, err))
		}
		all[i].Texts = texts
	}
	return all
}

// Translator looks texts up in one language.
type Translator struct{ *dictionary }

// dictionary is a prepared catalogue: everything that does not depend on a request is computed
// once.
type dictionary struct {
	Catalogue
	// code is the language for attributes and addresses.
	code     string
	messages map[string][]piece
	// links are the links from a page in this language to itself in the other languages.
	links template.HTML
}

// piece is a part of a text: words, followed by the argument with a number, or by none if it
// is 0.
type piece struct {
	words    string
	argument int
}

var placeholder = regexp.MustCompile(`\{([1-9])\}`)

func newTranslator(c Catalogue) Translator {
	d := &dictionary{Catalogue: c, code: c.Tag.String(), messages: make(map[string][]piece, len(c.Texts))}
	for id, text := range c.Texts {
		d.messages[id] = piecesOf(text)
	}
	return Translator{d}
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

// Lang returns the language for the lang attribute.
func (t Translator) Lang() string { return t.code }

// Dir returns the writing direction for the dir attribute.
func (t Translator) Dir() string { return t.Direction }

// Text returns the text of a message with its arguments filled in. An unknown message is shown
// as its id; the tests of the templates find those.
func (t Translator) Text(id string, args ...any) string {
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

// isolated separates the direction of a number or a name from that of the text around it: the
// signs U+2068 and U+2069 give it a direction of its own.
func (t Translator) isolated(argument string) string {
	if t.Direction == "ltr" {
		return argument
	}
	return "\u2068" + argument + "\u2069"
}

// Count returns a text in the plural form for n; n is its first argument.
func (t Translator) Count(id string, n int, args ...any) string {
	return t.Text(id+"."+PluralForm(t.Tag, n), append([]any{n}, args...)...)
}

// PluralForm returns the name of the plural form for a number.
func PluralForm(tag language.Tag, n int) string {
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

// month returns the name of a month for use in a date.
func (t Translator) month(number int) string { return t.Text("month." + strconv.Itoa(number)) }

// Moment returns a time in UTC, with the date unless it is today.
func (t Translator) Moment(at, now time.Time) string { return t.MomentIn(at, now, time.UTC) }

// MomentIn returns a time in a time zone, with the date unless it is today.
func (t Translator) MomentIn(at, now time.Time, zone *time.Location) string {
	at, now = at.In(zone), now.In(zone)
	clock := at.Format("15:04 MST")
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return clock
	}
	day := strconv.Itoa(at.Day())
	if day == "1" {
		day = t.Text("date.first")
	}
	return t.Text("date", day, t.month(int(at.Month())), at.Year(), clock)
}

// Span returns the remaining time in words in its largest unit. It rounds down, so that no
// reader counts on more time than there is.
func (t Translator) Span(remaining time.Duration) string {
	switch {
	case remaining < time.Minute:
		return t.Text("span.moment")
	case remaining < 2*time.Hour:
		return t.Count("span.minutes", int(remaining/time.Minute))
	case remaining < 48*time.Hour:
		return t.Count("span.hours", int(remaining/time.Hour))
	default:
		return t.Count("span.days", int(remaining/(24*time.Hour)))
	}
}
