package pages

import (
	"mime"
	"net/http"
	"strings"
)

// PathOf returns the path of a charge's page in the language that a visitor chose; empty for
// the browser's. An unknown language does no harm.
func PathOf(chargeID, lang string) string { return choice{lang: lang}.link(chargeID) }

// AnswerForms shows a person who sent a form to the API the result in their language. It
// replaces an error with a page that has the same status. Programs, which do not ask for HTML,
// get the API's answer.
func (s *Site) AnswerForms(api http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isForm(r) {
			api.ServeHTTP(w, r)
			return
		}
		answer := &withheld{ResponseWriter: w}
		api.ServeHTTP(answer, r)
		if answer.status != 0 {
			s.refuse(w, r, answer.status)
		}
	})
}

// TooMany answers a visitor who sends too many requests.
func (s *Site) TooMany(w http.ResponseWriter, r *http.Request) {
	s.say(w, r, http.StatusTooManyRequests, "too_many.title", "too_many.detail")
}

// isForm reports whether a browser sent a form to the API.
func isForm(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && r.Method == http.MethodPost && media == "application/x-www-form-urlencoded" &&
		strings.HasPrefix(r.URL.Path, "/api/") && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// refuse shows a page in place of an API error.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, status int) {
	title, detail := "refused.title", "refused.detail"
	switch {
	case status == http.StatusNotFound:
		title, detail = "not_found.title", "not_found.detail"
	case status == http.StatusGone:
		title, detail = "gone.title", "gone.detail"
	case status == http.StatusTooManyRequests:
		title, detail = "too_many.title", "too_many.detail"
	case status >= http.StatusInternalServerError:
		title, detail = "error.title", "error.detail"
	}
	m := s.message(r, "ended", title, detail)
	m.Languages = ""
	if id := chargeInForm.FindStringSubmatch(r.URL.Path); id != nil && status != http.StatusNotFound {
		m.Retry = m.Keep("/pay/" + id[1])
	}
	s.kit.Render(w, r, status, "message.html", m)
}

// withheld passes on a success and holds back an error.
type withheld struct {
	http.ResponseWriter
	// status is that of the error, or 0.
	status int
}

// WriteHeader passes the status on, or holds it back if it is an error.
func (w *withheld) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes a part of the body on, or drops it after an error.
func (w *withheld) Write(part []byte) (int, error) {
	if w.status != 0 {
		return len(part), nil
	}
	return w.ResponseWriter.Write(part)
}

// Unwrap lets handlers set deadlines.
func (w *withheld) Unwrap() http.ResponseWriter { return w.ResponseWriter }
