package dialect

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
)

// Response documents an error by its status. The schemas Refusal and Field must
// be registered.
func Response(status int) *huma.Response {
	text := textOf(status)
	schema, example := &huma.Schema{Ref: "#/components/schemas/Refusal"}, any(Refusal{Code: codeOf(status), Message: text})
	if status == http.StatusUnprocessableEntity {
		schema = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Ref: "#/components/schemas/Field"}}
		example = Fields{{Path: "amount", Message: "amount is required"}}
	}
	response := &huma.Response{Description: text, Content: map[string]*huma.MediaType{httpapi.JSON: {Schema: schema, Example: example}}}
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable:
		response.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger},
		}}
	}
	return response
}

func textOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "Not possible as it stands"
	case http.StatusUnauthorized:
		return "No key, or one that is not valid"
	case http.StatusForbidden:
		return "The key does not cover what the route needs, or the store is not its own"
	case http.StatusNotFound:
		return "Not found in this store"
	case http.StatusUnprocessableEntity:
		return "A field is missing or wrong"
	case http.StatusTooManyRequests:
		return "Rate limited"
	case http.StatusServiceUnavailable:
		return "A part of the service is not usable"
	default:
		return "Server error; retry with backoff"
	}
}
