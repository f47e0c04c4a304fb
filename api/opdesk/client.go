package opdesk

import (
	"net/http"

	"github.com/durapay/durapay/api/web"
)

// apiError is an error answer of the API. Its text is for the operator.
type apiError = web.Error

// get reads from the API.
func (v *visit) get(path string, into any) error { return v.call(http.MethodGet, path, nil, into) }

// post sends a POST request to the API. body may be nil.
func (v *visit) post(path string, body, into any) error {
	return v.call(http.MethodPost, path, body, into)
}

// call sends a request of the session to the API.
func (v *visit) call(method, path string, body, into any) error {
	token, err := v.token()
	if err != nil {
		return err
	}
	return web.Send(v.API, v.r, web.Request{Method: method, Path: path, Authorization: "Bearer " + token, Body: body}, into)
}
