package kit

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-chi/chi/v5"
)

// ErrForeignForm is returned for a form that is not of the session, or not of this service.
var ErrForeignForm = errors.New("form that is not of this session")

// maxForm is the largest form in bytes; those of the desks are small.
const maxForm = 16 << 10

// ReadForm reads the form of a request. It returns ErrForeignForm for a form of another origin, and
// for one that is too large or malformed.
func ReadForm(w http.ResponseWriter, r *http.Request, origin *http.CrossOriginProtection) error {
	if origin.Check(r) != nil {
		return ErrForeignForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if r.ParseForm() != nil {
		return ErrForeignForm
	}
	return nil
}

// PathValue returns a value of the path of a request.
func PathValue(r *http.Request, name string) string {
	value := chi.URLParam(r, name)
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// PathAfterLogIn returns the page that the visitor asked for if it is below root, which ends with a
// slash; otherwise it returns root.
func PathAfterLogIn(next, root string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, root) || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return root
	}
	return u.RequestURI()
}
