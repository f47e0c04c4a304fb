package exchangeapi

import (
	"encoding/json"
	"io"
)

// EncodeJSON writes a value as JSON without HTML escapes in texts.
func EncodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
