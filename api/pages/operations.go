package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// operationsRoot is the path below which the operations of each tag have a page.
const operationsRoot = guideRoot + "operations/"

// tagged is an operation, with its method and path.
type tagged struct {
	*huma.Operation

	method, path string
}

// operationsOf returns the operations of a tag, ordered by path: those that create something
// first.
func operationsOf(doc *huma.OpenAPI, tag string) (all []tagged) {
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{
			http.MethodPost: item.Post, http.MethodGet: item.Get, http.MethodPut: item.Put, http.MethodDelete: item.Delete,
		} {
			if op != nil && slices.Contains(op.Tags, tag) {
				all = append(all, tagged{op, method, path})
			}
		}
	}
	slices.SortFunc(all, func(a, b tagged) int {
		return cmp.Or(strings.Compare(a.path, b.path), -strings.Compare(a.method, b.method))
	})
	return all
}

// pathOfTag returns the path of the page of a tag's operations.
func pathOfTag(tag string) string { return operationsRoot + anchorOf(tag) }

// anchorOf returns the identifier that a heading of ASCII letters, digits and spaces gets.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r == ' ', r == '-', r == '_':
			return '-'
		default:
			return -1
		}
	}, heading)
}

// indexOf writes the list of all operations as Markdown.
func indexOf(doc *huma.OpenAPI) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n", doc.Info.Title, doc.Info.Description)
	for _, tag := range doc.Tags {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", tag.Name, tag.Description)
		for _, op := range operationsOf(doc, tag.Name) {
			fmt.Fprintf(&b, "- [%s](%s#%s): `%s %s`\n", op.Summary, pathOfTag(tag.Name), anchorOf(op.Summary), op.method, op.path)
		}
	}
	return b.Bytes()
}

// textOfTag writes the operations of a tag as Markdown: who may use them, their parameters, their
// bodies with examples, and the fields of every object in them.
func textOfTag(doc *huma.OpenAPI, tag *huma.Tag) []byte {
	w := &operationsWriter{doc: doc, seen: map[string]bool{}}
	w.linef("# %s", tag.Name)
	w.linef("%s", tag.Description)
	for _, op := range operationsOf(doc, tag.Name) {
		w.operation(op)
	}
	for len(w.objects) > 0 {
		name := w.objects[0]
		w.objects = w.objects[1:]
		w.linef("## Fields of %s", name)
		w.fields(doc.Components.Schemas.Map()[name])
	}
	return w.text.Bytes()
}

// operationsWriter writes Markdown.
type operationsWriter struct {
	doc  *huma.OpenAPI
	text bytes.Buffer
	// objects are the names of schemas whose fields are still to be written, seen those that were
	// referred to.
	objects []string
	seen    map[string]bool
}

// linef writes a paragraph.
func (w *operationsWriter) linef(format string, args ...any) {
	fmt.Fprintf(&w.text, format+"\n\n", args...)
}

func (w *operationsWriter) operation(op tagged) {
	w.linef("## %s", op.Summary)
	w.linef("`%s %s`, %s", op.method, op.path, w.credential(op.Operation))
	w.linef("%s", op.Description)
	var rows [][]string
	for _, p := range op.Parameters {
		rows = append(rows, []string{"`" + p.Name + "`", p.In, w.typeOf(p.Schema), p.Description})
	}
	w.table([]string{"parameter", "in", "type", "meaning"}, rows)
	if op.RequestBody != nil {
		w.content("Body", op.RequestBody.Content["application/json"])
	}
	var refused []string
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		answer := op.Responses[status]
		if status >= "400" {
			refused = append(refused, status)
			continue
		}
		content := answer.Content["application/json"]
		if content == nil {
			w.linef("Answer %s: %s.", status, cmp.Or(strings.Join(slices.Sorted(maps.Keys(answer.Content)), ", "), answer.Description))
			continue
		}
		w.content("Answer "+status, content)
	}
	w.linef("Refusals: %s.", strings.Join(refused, ", "))
}

// credential returns what an operation needs.
func (w *operationsWriter) credential(op *huma.Operation) string {
	needs := []string{}
	for _, scheme := range op.Security {
		for name := range scheme {
			switch s := w.doc.Components.SecuritySchemes[name]; {
			case s != nil && s.Type == "apiKey":
				needs = append(needs, "with an API key in `"+s.Name+"`")
			case s != nil:
				needs = append(needs, "with `Authorization: Bearer` and a session token")
			}
		}
		if len(scheme) == 0 {
			needs = append(needs, "without a credential")
		}
	}
	if len(needs) == 0 {
		return "without a credential"
	}
	return strings.Join(needs, ", or ")
}

// content writes the type of a body and its example.
func (w *operationsWriter) content(name string, body *huma.MediaType) {
	if body == nil {
		return
	}
	w.linef("%s: %s", name, w.typeOf(body.Schema))
	if body.Example == nil {
		return
	}
	raw, err := json.Marshal(body.Example)
	var example bytes.Buffer
	if err == nil && json.Indent(&example, raw, "", "  ") == nil {
		w.linef("```json\n%s\n```", example.String())
	}
}

// fields writes the fields of an object.
func (w *operationsWriter) fields(s *huma.Schema) {
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		meaning := p.Description
		if slices.Contains(s.Required, name) && meaning == "" {
			meaning = "always there"
		}
		rows = append(rows, []string{"`" + name + "`", w.typeOf(p), meaning})
	}
	w.table([]string{"field", "type", "meaning"}, rows)
}

// typeOf describes a type in a few words. The fields of a named one follow at the end of the page.
func (w *operationsWriter) typeOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		if !w.seen[name] {
			w.seen[name] = true
			w.objects = append(w.objects, name)
		}
		return fmt.Sprintf("[%s](#%s)", name, anchorOf("Fields of "+name))
	case len(s.OneOf) > 0:
		var kinds []string
		for _, one := range s.OneOf {
			kinds = append(kinds, w.typeOf(one))
		}
		return strings.Join(kinds, " or ")
	case s.Type == huma.TypeArray:
		return "list of " + w.typeOf(s.Items)
	}
	kind := cmp.Or(s.Type, "any")
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", value))
		}
		kind = strings.Join(values, ", ")
	}
	if s.Format == "date-time" {
		kind = "time"
	}
	if s.Nullable {
		kind += " or null"
	}
	return kind
}

// table writes rows below their headings; nothing without rows.
func (w *operationsWriter) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	rows = slices.Insert(rows, 0, head, slices.Repeat([]string{"---"}, len(head)))
	inCell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, row := range rows {
		for _, cell := range row {
			w.text.WriteString("| " + inCell.Replace(cell) + " ")
		}
		w.text.WriteString("|\n")
	}
	w.text.WriteByte('\n')
}
