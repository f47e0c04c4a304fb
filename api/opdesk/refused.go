package opdesk

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/pages/sheet"
)

// giveBack answers a form that the API refused with the form's page: it keeps the typed values
// and shows the error. It returns false if there is no such page, for example because the path
// does not exist, or if the session has ended.
func (v *visit) giveBack(rt route, err error) bool {
	refused, is := errors.AsType[*apiError](err)
	if !is || rt.page == nil || refused.Status == http.StatusUnauthorized {
		return false
	}
	v.status, v.problem = refused.Status, refused.Text
	return rt.page(v) == nil
}

// refill puts the typed values back into the form that was refused. If the form's row is on
// another page of its list, refill adds the form below.
func (v *visit) refill(s *sheet.Page) {
	found := false
	each := func(f *form) {
		if f.Action != v.r.URL.Path || f.Get {
			return
		}
		found = true
		next := map[string]int{}
		for i := range f.Fields {
			name := f.Fields[i].Name
			if typed := v.r.PostForm[name]; next[name] < len(typed) {
				f.Fields[i].Value = typed[next[name]]
			}
			next[name]++
		}
	}
	for i := range s.Parts {
		for j := range s.Parts[i].Forms {
			each(&s.Parts[i].Forms[j])
		}
		if t := s.Parts[i].Table; t != nil {
			for _, row := range t.Rows {
				for _, c := range row {
					if c.Form != nil {
						each(c.Form)
					}
				}
			}
		}
	}
	if !found && v.r.PostForm.Has("note") {
		again := noteForm(v.r.URL.Path, v.param("id"), "Note it")
		each(again)
		s.Parts = append(s.Parts, sheet.Part{Forms: []form{*again}})
	}
}
