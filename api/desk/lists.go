package desk

import "slices"

// How many rows a page shows of one list, and of each of several.
const (
	listedAtOnce = 50
	amongOthers  = 20
)

// list is one that the API gives whole and a page shows in parts, the newest first.
type list[T any] struct {
	// page is where it is shown, cursor the parameter that names what was shown last there.
	page, cursor string
	// atOnce is how many rows are shown; one that has more is shown alone.
	atOnce int
	id     func(T) string
	// rows is how many rows one has; nil where each has one.
	rows func(T) int
}

// partOf is what a page shows of a list: what follows the one that the query names. next
// leads to what follows that; nil at the end.
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

// attention is the parameter that narrows a list down to what home counts.
const attention = "attention"

// parameters are those of the query that some page reads.
func parameters() []string {
	return append(chargeFilter(), "next", "done", "cursor", "payments", "refunds", "deliveries", "webhook", "of", "month", "amount", "currency", keyField, pressed)
}

// narrowed is the address of a list of the API, narrowed down as the page is.
func (v *visit) narrowed(path string) string {
	if kind := v.r.URL.Query().Get(attention); kind != "" {
		path += "&" + query(attention, kind)[1:]
	}
	return path
}

// widen is the way from a narrowed list to all of it; title is what it is narrowed to.
// None for a whole list.
func (v *visit) widen(page, title string) []part {
	if v.r.URL.Query().Get(attention) == "" {
		return nil
	}
	return []part{{Title: title, Links: []link{{Href: page, Text: v.t("attention.all")}}}}
}
