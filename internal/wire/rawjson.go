package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// ErrSyntax is returned for a text that is not a JSON object.
var ErrSyntax = errors.New("not a JSON object")

// Member is one name and value of an object, as they were written.
type Member struct {
	Name  string
	Value json.RawMessage
}

// Members splits an object into its members, in their order; ErrSyntax, or the
// decoder's error, for anything else.
func Members(raw []byte) ([]Member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return nil, ErrSyntax
	}
	var all []Member
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		name, ok := token.(string)
		if !ok {
			return nil, ErrSyntax
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, Member{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, ErrSyntax
	}
	return all, nil
}

// Object writes members as an object without white space.
func Object(members []Member) string {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(Value(m.Name))
		b.WriteByte(':')
		_ = json.Compact(&b, m.Value) // decoded before, so it is valid
	}
	b.WriteByte('}')
	return b.String()
}

// Value is a text, or texts by name, as JSON.
func Value[T string | map[string]string](v T) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) //nolint:errchkjson // texts and a buffer cannot fail
	return bytes.TrimSpace(b.Bytes())
}

// Without are the members but those of one name.
func Without(members []Member, name string) []Member {
	return slices.DeleteFunc(members, func(m Member) bool { return m.Name == name })
}

// Cut removes what lies at a path of names from an object: data, metadata,
// buyer_info. Names that are not there, or that lead through something else
// than objects, remove nothing.
func Cut(raw []byte, path ...string) (string, error) {
	members, err := Members(raw)
	if err != nil {
		return "", err
	}
	if len(path) == 1 {
		return Object(Without(members, path[0])), nil
	}
	for i, m := range members {
		if m.Name != path[0] || !IsObject(m.Value) {
			continue
		}
		rest, err := Cut(m.Value, path[1:]...)
		if err != nil {
			return "", err
		}
		members[i].Value = json.RawMessage(rest)
	}
	return Object(members), nil
}

// TextOf returns the text of a JSON string; empty for any other value.
func TextOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// IsObject reports whether a value that Members found is an object.
func IsObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }
