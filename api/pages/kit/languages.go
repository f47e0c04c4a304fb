package kit

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/language"
)

// LangParam is the query parameter that names a language. It overrides the browser's
// languages.
const LangParam = "lang"

// The languages of recent Accept-Language headers are cached. There are as many as there are
// browser settings. Longer headers, and those above the maximum number, are matched on each
// request.
const (
	maxHeader  = 200
	maxHeaders = 4096
)

// languages selects the language for a reader.
type languages struct {
	all      []Translator
	in       *template.Template
	byCode   map[string]Translator
	matcher  language.Matcher
	fallback Translator
	// kept lists the query parameters that links keep.
	kept []string

	known  sync.Map // header → Translator
	knowns atomic.Int64
}

func newLanguages(all []Catalogue, in *template.Template) *languages {
	l := &languages{in: in, byCode: make(map[string]Translator, len(all))}
	tags := make([]language.Tag, len(all))
	for i, c := range all {
		t := newTranslator(c)
		l.all, l.byCode[t.code], tags[i] = append(l.all, t), t, c.Tag
	}
	l.fallback, l.matcher = l.all[0], language.NewMatcher(tags)
	for _, t := range l.all {
		t.links = l.linksFrom(t, url.Values{})
	}
	return l
}

// of returns the Translator for the reader of a request, and whether the
// reader chose the language in the address.
func (l *languages) of(r *http.Request) (t Translator, chosen bool) {
	if r.URL.RawQuery != "" {
		if t, chosen = l.byCode[r.URL.Query().Get(LangParam)]; chosen {
			return t, true
		}
	}
	return l.accepted(r.Header.Get("Accept-Language")), false
}

func (l *languages) accepted(header string) Translator {
	if header == "" {
		return l.fallback
	}
	if t, found := l.known.Load(header); found {
		return t.(Translator) //nolint:forcetypeassert // nothing else is stored
	}
	t := l.match(header)
	if len(header) <= maxHeader && l.knowns.Add(1) <= maxHeaders {
		l.known.Store(header, t)
	}
	return t
}

// match returns the first language of the header that the pages have. A related language does
// not match: a reader who accepts only Ukrainian gets English, not Russian.
func (l *languages) match(header string) Translator {
	accepted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return l.fallback
	}
	for _, tag := range accepted {
		if _, index, confidence := l.matcher.Match(tag); confidence >= language.High {
			return l.all[index]
		}
	}
	return l.fallback
}

// languageLink is a link to the same page in another language. URL is empty for the current
// language.
type languageLink struct{ Code, Name, URL string }

// maxKept is the maximum length, in bytes, of a query that links between languages keep,
// because each link repeats it.
const maxKept = 4096

// links returns the links from a page to itself in every language. They are relative and keep
// the query parameters that the page reads. A page whose query is too long has none.
func (l *languages) links(current Translator, address *url.URL) template.HTML {
	if address.RawQuery == "" {
		return current.links
	}
	asked, kept := address.Query(), url.Values{}
	for _, name := range l.kept {
		if values, is := asked[name]; is {
			kept[name] = values
		}
	}
	if len(kept.Encode()) > maxKept {
		return ""
	}
	return l.linksFrom(current, kept)
}

// linksFrom returns the links with a query. A kit with one language has none. It panics on an
// invalid template, which shows at the start.
func (l *languages) linksFrom(current Translator, query url.Values) template.HTML {
	if len(l.all) == 1 {
		return ""
	}
	list := make([]languageLink, len(l.all))
	for i, t := range l.all {
		list[i] = languageLink{Code: t.code, Name: t.Name}
		if t != current {
			query.Set(LangParam, t.code)
			list[i].URL = "?" + query.Encode()
		}
	}
	var html strings.Builder
	err := l.in.ExecuteTemplate(&html, "languages", struct {
		T     Translator
		Links []languageLink
	}{current, list})
	if err != nil {
		panic(err)
	}
	return template.HTML(html.String()) //nolint:gosec // written by a template, which has escaped it
}
