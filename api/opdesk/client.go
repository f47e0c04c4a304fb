package opdesk

import (
	"net/http"

	"github.com/durapay/durapay/api/ownapi"
)

// apiError is what the API answered in place of what was asked for. Its text is for
// the operator.
type apiError = ownapi.Error

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post changes something by the API; body is nil for none.
func (v *visit) post(path string, body, into any) error {
	return v.call(http.MethodPost, path, body, into)
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, body, into any) error {
	token, err := v.token()
	if err != nil {
		return err
	}
	return ownapi.Send(v.API, v.r, ownapi.Request{Method: method, Path: path, Authorization: "Bearer " + token, Body: body}, into)
}
