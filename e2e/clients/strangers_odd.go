package clients

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

type dice struct{ *rand.Rand }

func newDice(seed, stranger uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, stranger))} //nolint:gosec // to be drawn again
}

// in reports true once in n times.
func (d dice) in(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

func oddTexts() []string {
	return []string{
		"", " ", "\x00", "a\x00b", "\n", "\r\nX-Injected: 1", "null", "true", "[]", "{}", "undefined", "NaN", "-0", "1e309", "0x10", "1,5", "٣", "１２", "1e-13",
		"'; DROP TABLE charges; --", `" OR ""="`, "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{7*7}}", "${jndi:ldap://x}", "%00", "%2e%2e%2f",
		"../../etc/passwd", "..\\..\\", "javascript:alert(1)", "http://169.254.169.254/", "http://127.0.0.1:1/", "https://[::1]/", "file:///etc/passwd", "\u202egnp.exe",
		"👩‍👩‍👧", "e\u0301", "\ufeff", "\ufffd", "Ω≈ç√∫", "ﷺ", "\xff\xfe", "a" + strings.Repeat("\u0300", 500), strings.Repeat("x", 300), strings.Repeat("9", 400),
		strings.Repeat("é", 5000), "2026-11-28T09:30:00Z", "0000-00-00", "99999-01-01T00:00:00Z", "bitcoin", "XMR", "usd", "=1+1", "admin", "me", "*", "..", ".", "/",
	}
}

func oddNumbers() []string {
	return []string{
		"0", "-0", "-1", "1", "0.1", "1e0", "1E+2", "1e-12", "0.0000000000001", "1e309", "-1e309", "9007199254740993", "18446744073709551615", "18446744073709551616",
		"99999999999999999999999999", "1.0000000000000000000000001", "0.000000000001", strings.Repeat("9", 500), "1e999999999",
	}
}

func oddBodies() []string {
	return []string{
		"", " ", "null", "[]", "1", `"x"`, "true", "{", "{}}", "{}{}", "{}\x00", `{"a":NaN}`, "{'a':1}", `{"a":01}`, `{"a":1,}`, "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}",
		`{"a":1,"a":2}`, `{"":1}`, `{"__proto__":{"a":1}}`, `{"a":"\ud800"}`, strings.Repeat("[", 5000), strings.Repeat(`{"a":`, 2000), strings.Repeat("x", 100<<10), "a=1&a=2&%zz",
	}
}

// json returns a value for a schema: mostly one that it allows, at its limits, or an odd one. It is
// not always JSON.
func (g *generator) json(doc *document, s schema, depth int) string {
	if s = doc.resolve(s); g.in(12) || depth > 6 {
		return g.oddJSON()
	}
	if example, has := s["example"]; has && g.in(2) {
		return encoded(example)
	}
	if examples, _ := s["examples"].([]any); len(examples) > 0 && g.in(2) {
		return encoded(pick(g.dice, examples))
	}
	if listed, _ := s["enum"].([]any); len(listed) > 0 {
		return encoded(pick(g.dice, listed))
	}
	for _, word := range []string{"oneOf", "anyOf", "allOf"} {
		if list, _ := s[word].([]any); len(list) > 0 {
			return g.json(doc, object(pick(g.dice, list)), depth+1)
		}
	}
	switch kind := s["type"].(type) {
	case []any:
		return g.typed(doc, s, fmt.Sprint(pick(g.dice, kind)), depth)
	default:
		return g.typed(doc, s, fmt.Sprint(kind), depth)
	}
}

func (g *generator) typed(doc *document, s schema, kind string, depth int) string {
	switch kind {
	case "object":
		return g.object(doc, s, depth)
	case "array":
		list := make([]string, g.IntN(4))
		for i := range list {
			list[i] = g.json(doc, object(s["items"]), depth+1)
		}
		return "[" + strings.Join(list, ",") + "]"
	case "integer", "number":
		for _, bound := range []string{"minimum", "maximum", "exclusiveMinimum"} {
			if limit, err := strconv.ParseFloat(fmt.Sprint(s[bound]), 64); err == nil && g.in(4) {
				return strconv.FormatFloat(limit+float64(g.IntN(3)-1), 'f', -1, 64)
			}
		}
		return strconv.Itoa(1 + g.IntN(50))
	case "boolean":
		return strconv.FormatBool(g.in(2))
	case "null":
		return "null"
	default:
		return encoded(g.text())
	}
}

func (g *generator) object(doc *document, s schema, depth int) string {
	properties := object(s["properties"])
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	required, _ := s["required"].([]any)
	var fields []string
	for _, name := range names {
		if slices.Contains(required, any(name)) && !g.in(15) || g.in(3) {
			fields = append(fields, encoded(name)+":"+g.json(doc, object(properties[name]), depth+1))
		}
	}
	if g.in(20) {
		fields = append(fields, encoded(g.text())+":"+g.oddJSON())
	}
	if len(fields) > 0 && g.in(40) {
		fields = append(fields, fields[0]) // a name twice
	}
	return "{" + strings.Join(fields, ",") + "}"
}

func (g *generator) oddJSON() string {
	switch g.IntN(4) {
	case 0:
		return pick(g.dice, oddNumbers())
	case 1:
		return pick(g.dice, []string{"null", "true", "[]", "{}", `[[1]]`, `{"a":{"b":[1]}}`})
	default:
		return encoded(g.text())
	}
}

// text returns a known ID, a plain text or an odd one.
func (g *generator) text() string {
	switch g.IntN(4) {
	case 0:
		return g.id()
	case 1:
		return fmt.Sprintf("plain %d", g.IntN(1000))
	default:
		return pick(g.dice, oddTexts())
	}
}

// encoded returns the JSON of a value. The bytes of a text that is not UTF-8 stay.
func encoded(v any) string {
	if text, is := v.(string); is && !utf8.ValidString(text) {
		return `"` + text + `"`
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return "null"
	}
	return string(raw)
}

type schema map[string]any

type operation struct {
	base, method, path string
	query              []parameter
	// body is nil for an operation without a body, and types are the media types of the body.
	body  schema
	types []string
	doc   *document
}

type parameter struct {
	name   string
	schema schema
}

type document struct {
	base string
	root map[string]any
}

// operationsOf returns the operations of a document, in order.
func operationsOf(base string, raw []byte) ([]operation, error) {
	d := &document{base: base}
	if err := yaml.Unmarshal(raw, &d.root); err != nil {
		return nil, fmt.Errorf("read the document of %s: %w", base, err)
	}
	var all []operation
	for path, item := range object(d.root["paths"]) {
		for method, raw := range object(item) {
			if slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method) {
				all = append(all, d.operation(method, path, object(raw)))
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+" "+a.method, b.path+" "+b.method) })
	return all, nil
}

func (d *document) operation(method, path string, raw map[string]any) operation {
	o := operation{base: d.base, method: strings.ToUpper(method), path: path, doc: d}
	parameters, _ := raw["parameters"].([]any)
	for _, p := range parameters {
		if p := d.resolve(object(p)); p["in"] == "query" {
			o.query = append(o.query, parameter{fmt.Sprint(p["name"]), object(p["schema"])})
		}
	}
	for contentType, media := range object(d.resolve(object(raw["requestBody"]))["content"]) {
		o.types = append(o.types, contentType)
		if contentType == "application/json" || o.body == nil {
			o.body = object(object(media)["schema"])
		}
	}
	slices.Sort(o.types)
	return o
}

// resolve follows a reference within the document.
func (d *document) resolve(s schema) schema {
	for range 10 {
		ref, is := s["$ref"].(string)
		if !is {
			return s
		}
		found := any(d.root)
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			found = object(found)[step]
		}
		s = object(found)
	}
	return s
}

func object(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		return v
	case schema:
		return v
	default:
		return nil
	}
}
