package merchant

import (
	"io"

	stdjson "encoding/json"
)

// jsonType is the media type of JSON.
const jsonType = "application/json"

// out is an answer with a JSON body.
type out[T any] struct{ Body T }

// answer answers with a value, unless there is an error.
func answer[T any](v T, err error) (*out[T], error) {
	if err != nil {
		return nil, err
	}
	return &out[T]{v}, nil
}

// okAnswer is the body of an answer that has nothing else to tell.
type okAnswer struct {
	OK bool `json:"ok" doc:"Always true"`
}

// done is the answer of what has nothing to tell but that it was done.
func done(err error) (*out[okAnswer], error) { return answer(okAnswer{OK: true}, err) }

// writeJSON writes a value as the API writes JSON: numbers exact, text unescaped.
func writeJSON(w io.Writer, v any) error {
	enc := stdjson.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
