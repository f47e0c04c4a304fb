package clients

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is a JSON schema of an OpenAPI document.
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

// document is an OpenAPI document of the service at base.
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
