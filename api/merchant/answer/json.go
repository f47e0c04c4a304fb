package answer

import (
	"io"

	stdjson "encoding/json"
)

// JSON is the media type of JSON.
const JSON = "application/json"

// Out is an answer with a JSON body.
type Out[T any] struct{ Body T }

// With answers with a value, unless there is an error.
func With[T any](v T, err error) (*Out[T], error) {
	if err != nil {
		return nil, err
	}
	return &Out[T]{v}, nil
}

// OK is the body of an answer that has nothing else to tell.
type OK struct {
	OK bool `json:"ok" doc:"Always true"`
}

// Done is the answer of what has nothing to tell but that it was done.
func Done(err error) (*Out[OK], error) { return With(OK{OK: true}, err) }

// Write writes a value as the API writes JSON: numbers exact, text unescaped.
func Write(w io.Writer, v any) error {
	enc := stdjson.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
