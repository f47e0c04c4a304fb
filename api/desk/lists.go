package desk

import "slices"

// The number of rows that a page shows of a list: alone, and among other lists.
const (
	listedAtOnce = 50
	amongOthers  = 20
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
	return append(chargeFilter(), "next", "done", "cursor", "payments", "refunds", "deliveries", "webhook", "of", "month", "amount", "currency", keyField, pressed)
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
