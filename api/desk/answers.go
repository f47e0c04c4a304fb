package desk

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
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

// member returns a member of a type, which the API wrote; zero for a missing one and for null. A member of
// another type is a fault of this code, and no page is better than a page with a wrong number.
func member[T any](a answer, name string) (value T) {
	if raw := a[name]; raw != nil && string(raw) != "null" {
		if err := json.Unmarshal(raw, &value); err != nil {
			panic(fmt.Errorf("the API's %s: %w", name, err))
		}
	}
	return value
}

func (a answer) is(name string) bool { return member[bool](a, name) }

func (a answer) count(name string) int { return member[int](a, name) }

func (a answer) xmr(name string) money.Piconero { return member[money.Piconero](a, name) }

func (a answer) names(name string) []string { return member[[]string](a, name) }

func (a answer) in(name string) answer { return member[answer](a, name) }

func (a answer) list(name string) []answer { return member[[]answer](a, name) }

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

// removes returns the cells with a button that removes an item, behind a text. In path {id} stands
// for the identifier, which the item has under a name.
func (v *visit) removes(path, name, text string) func(answer) cell {
	return func(a answer) cell {
		return cell{Form: &form{Action: strings.Replace(path, "{id}", a.text(name), 1), Sure: v.t(text), Button: v.t("sure"), Small: true}}
	}
}

// The number of rows that a page shows of a list: alone, and among other lists.
const (
	listedAtOnce  = 50
	listedPerPart = 20
)

// list describes a list that the API returns whole and a page shows in parts, newest first.
type list[T any] struct {
	// page is the page that shows the list. cursor is the parameter with the id of the last
	// item shown.
	page, cursor string
	// atOnce is the maximum number of rows shown. An item with more rows is shown alone.
	atOnce int
	id     func(T) string
	// rows returns the number of rows of an item; nil if each has one.
	rows func(T) int
}

// partOf returns the items of a list after the one that the query names, as many as fit. next
// links to the items after those; it is nil at the end.
func partOf[T any](v *visit, l list[T], all []T) (shown []T, next *link) {
	asked := v.r.URL.Query()
	after := asked.Get(l.cursor)
	shown = all[slices.IndexFunc(all, func(one T) bool { return l.id(one) == after })+1:]
	fit, rows := 0, 0
	for _, one := range shown {
		if rows++; l.rows != nil {
			rows += l.rows(one) - 1
		}
		if fit > 0 && rows > l.atOnce {
			break
		}
		fit++
	}
	if fit < len(shown) {
		shown = shown[:fit]
		asked.Del("done")
		asked.Set(l.cursor, l.id(shown[fit-1]))
		next = &link{Href: l.page + "?" + asked.Encode(), Text: v.t("next")}
	}
	return shown, next
}

// attention is the parameter that limits a list to the items that home counts.
const attention = "attention"

// parameters returns the query parameters that pages read.
func parameters() []string {
	return append(chargeFilter(), "next", "done", "cursor", "payments", "refunds", "deliveries", "webhook", "of", "month", "amount", "currency", keyField, pressed, endedParameter, "person")
}

// narrowed adds the page's attention filter to the path of a list of the API.
func (v *visit) narrowed(path string) string {
	if kind := v.r.URL.Query().Get(attention); kind != "" {
		path += "&" + query(attention, kind)[1:]
	}
	return path
}

// widen returns a link from a filtered list to the whole list; title names the filter. It
// returns nil for a list without a filter.
func (v *visit) widen(page, title string) []part {
	if v.r.URL.Query().Get(attention) == "" {
		return nil
	}
	return []part{{Title: title, Links: []link{{Href: page, Text: v.t("attention.all")}}}}
}
