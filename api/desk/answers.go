package desk

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/wire"
)

// number is a number of the API, digit for digit; empty for null.
type number = json.Number

// answer is an object in an answer of the API, by the names of its members.
type answer map[string]json.RawMessage

// text returns a member as text. A string is unquoted, other values keep their exact digits, and
// a missing value is empty.
func (a answer) text(name string) string {
	var text string
	switch value := a[name]; {
	case len(value) == 0 || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return text
	default:
		return string(value)
	}
}

func (a answer) number(name string) number { return number(a.text(name)) }

// is reports whether a member is true.
func (a answer) is(name string) bool { return a.text(name) == "true" }

// count returns a member that is a whole number; 0 for any other.
func (a answer) count(name string) int {
	n, err := strconv.Atoi(a.text(name))
	if err != nil {
		return 0
	}
	return n
}

// xmr returns a member that is an amount of XMR; 0 for any other.
func (a answer) xmr(name string) money.Piconero {
	n, err := money.ParseXMR(a.text(name))
	if err != nil {
		return 0
	}
	return n
}

// in returns a member that is an object; nil for any other.
func (a answer) in(name string) (object answer) {
	_ = json.Unmarshal(a[name], &object) // the API wrote it
	return object
}

// list returns a member that is a list of objects; nil for any other.
func (a answer) list(name string) (all []answer) {
	_ = json.Unmarshal(a[name], &all) // the API wrote it
	return all
}

// names returns a member that is a list of texts; nil for any other.
func (a answer) names(name string) (all []string) {
	_ = json.Unmarshal(a[name], &all) // the API wrote it
	return all
}

// id returns the identifier of an item of a list.
func (a answer) id() string { return a.text("id") }

// membersOf returns the members of an object by their exact names. The merchant or an application
// can store anything there. Values that a page cannot use are left out, so one of them does not
// break a list.
func membersOf(object json.RawMessage) answer {
	members, err := wire.Members(object)
	if err != nil {
		return nil
	}
	all := answer{}
	for _, m := range members {
		all[m.Name] = m.Value
	}
	return all
}

// read reads what a page shows from the API. After an error a visit reads nothing more, and show
// returns the error.
func read[T any](v *visit, path string) (into T) {
	if v.failed == nil {
		v.failed = v.get(path, &into)
	}
	return into
}

// read reads an object.
func (v *visit) read(path string) answer { return read[answer](v, path) }

// list reads the list that an answer has under a name.
func (v *visit) list(path, name string) []answer { return v.read(path).list(name) }

// me reads the account.
func (v *visit) me() answer { return v.read("/api/auth/me").in("merchant") }

// oneOf returns the item that the page's path names. Without it the page says the text with the id
// gone.
func (v *visit) oneOf(all []answer, gone string) answer {
	i := slices.IndexFunc(all, func(one answer) bool { return one.id() == v.id() })
	if i >= 0 {
		return all[i]
	}
	if v.failed == nil {
		v.failed = v.refusal(http.StatusNotFound, gone)
	}
	return nil
}

// made sends a form to the API and returns what it made. An error is kept like that of read.
func (v *visit) made(path string, content any) (a answer) {
	if v.failed == nil {
		v.failed = v.post(path, content, &a)
	}
	return a
}

// failure returns the error of what was read or made, once.
func (v *visit) failure() error {
	err := v.failed
	v.failed = nil
	return err
}

// column is a column of a table: the id of its heading, and the cell of a row.
type column[T any] struct {
	title string
	cell  func(T) cell
}

// columns are those of a list of the API.
type columns = []column[answer]

// table returns a table with a row for each item. label and empty are ids of texts.
func table[T any](v *visit, label, empty string, all []T, columns []column[T]) *kit.Table {
	t := &kit.Table{Label: v.t(label), Empty: v.t(empty)}
	for _, c := range columns {
		t.Columns = append(t.Columns, v.t(c.title))
	}
	for _, one := range all {
		row := make([]cell, len(columns))
		for i, c := range columns {
			row[i] = c.cell(one)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// says returns the cells that show a member as text, or a dash if it is missing.
func says(name string) func(answer) cell {
	return func(a answer) cell { return plain(orNone(a.text(name))) }
}

// when returns the cells that show a member as a time.
func (v *visit) when(name string) func(answer) cell {
	return func(a answer) cell { return plain(v.moment(a.text(name))) }
}

// byValue returns the cells that show a member by the text with a prefix and its value as id.
func (v *visit) byValue(prefix, name string) func(answer) cell {
	return func(a answer) cell { return plain(v.t(prefix + a.text(name))) }
}

// leads returns the cells that link an item's identifier to its page below a path.
func leads(path string) func(answer) cell {
	return func(a answer) cell { return cell{Text: a.id(), Code: true, Href: path + a.id()} }
}

// removes returns the cells with a button that removes an item, behind a text. In path {id} stands
// for the identifier, which the item has under a name.
func (v *visit) removes(path, name, text string) func(answer) cell {
	return func(a answer) cell {
		return cell{Form: &form{Action: strings.Replace(path, "{id}", a.text(name), 1), Sure: v.t(text), Button: v.t("sure"), Small: true}}
	}
}

// passes returns what a form does that the API alone acts on: it sends the API a request and leads
// to a page. In both paths {id} stands for the id of the form's own path. content returns the
// request's body; nil for a request without one.
func passes(method, path string, content func(*visit) body, to string) func(*visit) error {
	return func(v *visit) error {
		var sent any
		if content != nil {
			sent = content(v)
		}
		if err := v.call(method, v.at(path), sent, &struct{}{}); err != nil {
			return err
		}
		return v.done(v.at(to))
	}
}

// asks is passes with the method POST.
func asks(path string, content func(*visit) body, to string) func(*visit) error {
	return passes(http.MethodPost, path, content, to)
}

// sets is passes with the method PUT.
func sets(path string, content func(*visit) body, to string) func(*visit) error {
	return passes(http.MethodPut, path, content, to)
}

// makes returns what a form does that makes something: it sends the API a request, and leads to the
// page of what was made, which is below a path.
func makes(path string, content func(*visit) body, below string) func(*visit) error {
	return func(v *visit) error {
		made := v.made(path, content(v))
		if err := v.failure(); err != nil {
			return err
		}
		return v.redirect(below + made.id())
	}
}

// at puts the id of the page's path into another path.
func (v *visit) at(path string) string { return strings.ReplaceAll(path, "{id}", v.id()) }

// nothing is the content of a request with an empty object.
func nothing(*visit) body { return body{} }
