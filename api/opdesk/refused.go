package opdesk

import (
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/pages/sheet"
)

// giveBack answers a form that the API refuses with the page that it stands on: what was
// typed is still in it, and the page says what is wrong. It says false where there is no
// such page, as for what is not there, and where the session has ended.
func (v *visit) giveBack(rt route, err error) bool {
	refused, is := errors.AsType[*apiError](err)
	if !is || rt.page == nil || refused.Status == http.StatusUnauthorized {
		return false
	}
	v.status, v.problem = refused.Status, refused.Text
	return rt.page(v) == nil
}

// refill puts what was typed into the form of the page that was refused. One that is on
// another page of its list is put below.
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
