package pages

import (
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// texts is the catalogue of one language: message id to text. A text is
// plain, never HTML; {1}, {2} and so on stand for its arguments, so that a
// translation can reorder them or leave one out. A counted text has one entry for each
// plural form of its language: id.one, id.other and so on.
type texts map[string]string

// catalogue is a language with its texts.
type catalogue struct {
	tag language.Tag
	// dir is the writing direction: ltr or rtl.
	dir   string
	texts texts
}

// catalogues lists the languages of the pages; the first is the fallback.
func catalogues() []catalogue {
	return []catalogue{{tag: language.English, dir: "ltr", texts: english()}}
}

// languages picks a catalogue by the Accept-Language header.
type languages struct {
	all     []catalogue
	matcher language.Matcher
}

func newLanguages(all []catalogue) languages {
	tags := make([]language.Tag, len(all))
	for i, c := range all {
		tags[i] = c.tag
	}
	return languages{all: all, matcher: language.NewMatcher(tags)}
}

// of returns the translator for the reader of a request.
func (l languages) of(r *http.Request) translator {
	_, index := language.MatchStrings(l.matcher, r.Header.Get("Accept-Language"))
	return translator{l.all[index]}
}

// translator looks texts up in one language.
type translator struct{ catalogue }

// Lang is the language for the lang attribute.
func (t translator) Lang() string { return t.tag.String() }

// Dir is the writing direction for the dir attribute.
func (t translator) Dir() string { return t.dir }

// Text is the text of a message with its arguments filled in. An unknown
// message shows as its id, which the tests of the templates catch.
func (t translator) Text(id string, args ...any) string {
	message, known := t.texts[id]
	if !known {
		return id
	}
	pairs := make([]string, 0, 2*len(args))
	for i, arg := range args {
		pairs = append(pairs, fmt.Sprintf("{%d}", i+1), fmt.Sprint(arg))
	}
	return strings.NewReplacer(pairs...).Replace(message)
}

// Count is a text in the plural form that n takes; n is its first argument.
func (t translator) Count(id string, n int, args ...any) string {
	form := plural.Cardinal.MatchPlural(t.tag, n, 0, 0, 0, 0)
	return t.Text(id+"."+formName(form), append([]any{n}, args...)...)
}

func formName(form plural.Form) string {
	switch form {
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
