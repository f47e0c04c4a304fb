package merchant_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// walkedCall is one call of a walk with its answer.
type walkedCall struct {
	operation

	answer answer
	// refused is set if the call was expected to be refused.
	refused bool
}

// walk calls every operation at the address in several ways: correctly, in each form of its
// answer, without a credential, with an unknown identifier, with an invalid body, and with an
// invalid parameter. It fails if an answer has another status than expected.
func walk(t *testing.T, b *bench, address string) []walkedCall {
	t.Helper()
	at := *b
	at.url, at.by = address, newcomer()
	var all []walkedCall
	for _, o := range operations(document()) {
		s := b.own(t)
		with := sampleOf(t, o, s)
		for _, query := range append([]string{with.query}, with.queries...) {
			body := with.ready(t, b, s)
			a := at.send(t, o.Method, s.pathOf(t, o)+query, s.credential(t, o), body)
			all = append(all, walkedCall{o, a.require(t, with.status, o, query), false})
		}
		for _, a := range refusedCalls(t, &at, o, b.own(t), with) {
			all = append(all, walkedCall{o, a, true})
		}
	}
	return all
}

func refusedCalls(t *testing.T, at *bench, o operation, s belongings, with sample) []answer {
	t.Helper()
	var all []answer
	send := func(path string, who as, body string, want int) {
		all = append(all, at.send(t, o.Method, path, who, body).require(t, want, o))
	}
	if o.kind != "" {
		send(s.pathOf(t, o), anonymous(), with.body, http.StatusUnauthorized)
	}
	if o.owned() {
		send(parameter.ReplaceAllLiteralString(o.Path, "ch_ffffffffffffffffffffffff"), s.credential(t, o), with.body, http.StatusNotFound)
	}
	if o.takes("application/json") {
		send(s.pathOf(t, o), s.credential(t, o), "[]", http.StatusBadRequest)
	}
	if _, limited := o.Responses["400"]; limited && o.Method == http.MethodGet && len(o.Parameters) > 0 {
		for _, p := range o.Parameters {
			if p.In == "query" && (len(p.Schema.Enum) > 0 || p.Schema.Type == huma.TypeInteger || p.Schema.Format == "date-time") {
				send(s.pathOf(t, o)+"?"+p.Name+"=nonsense", s.credential(t, o), "", http.StatusBadRequest)
			}
		}
	}
	return all
}

func testAnswersFitTheDocument(t *testing.T, b *bench) {
	schemas := compiler(t)
	examples := map[string]bool{}
	for _, a := range walk(t, b, b.url) {
		a.documented(t, a.answer.status)
		media := mediaOf(a)
		if !strings.Contains(a.answer.header.Get("Content-Type"), "application/json") {
			continue
		}
		schemas.check(t, media.Schema, a.answer.body, a.operation)
		if a.refused || a.answer.status != http.StatusOK || examples[a.OperationID] {
			continue
		}
		example, err := json.Marshal(media.Example)
		require.NoError(t, err)
		requireSameFields(t, document(), media.Schema, string(example), a.answer.body, a.OperationID)
		examples[a.OperationID] = true
	}
	require.Greater(t, len(examples), 20)
}

// mediaOf returns the media type that the document describes for an answer.
func mediaOf(a walkedCall) *huma.MediaType {
	content := a.Responses[statusText(a.answer.status)].Content
	mediaType, _, _ := strings.Cut(a.answer.header.Get("Content-Type"), ";")
	return content[mediaType]
}

func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	schemas := compiler(t)
	checked := 0
	check := func(m *huma.MediaType, about any) {
		if m == nil || m.Example == nil {
			return
		}
		text, err := json.Marshal(m.Example)
		require.NoError(t, err)
		schemas.check(t, m.Schema, string(text), about)
		checked++
	}
	for _, o := range operations(document()) {
		if o.RequestBody != nil {
			for _, m := range o.RequestBody.Content {
				check(m, o)
			}
		}
		for _, response := range o.Responses {
			for _, m := range response.Content {
				check(m, o)
			}
		}
	}
	require.Greater(t, checked, 150)
}

// schemaSet checks values against the schemas of the document, which are JSON Schema 2020-12. It
// uses an independent library.
type schemaSet struct {
	*jsonschema.Compiler

	compiled map[string]*jsonschema.Schema
}

func compiler(t *testing.T) schemaSet {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	text, err := json.Marshal(document())
	require.NoError(t, err)
	addResource(t, c, "document.json", text)
	return schemaSet{c, map[string]*jsonschema.Schema{}}
}

func addResource(t *testing.T, c *jsonschema.Compiler, name string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, c.AddResource(name, value))
}

// check fails if the schema does not allow the value in text.
func (s schemaSet) check(t *testing.T, schema *huma.Schema, text string, about any) {
	t.Helper()
	require.NotNil(t, schema, "%s: the answer has no schema", about)
	raw, err := json.Marshal(schema)
	require.NoError(t, err)
	if s.compiled[string(raw)] == nil {
		name := "schema-" + strconv.Itoa(len(s.compiled))
		addResource(t, s.Compiler, name, bytes.ReplaceAll(raw, []byte(`"#/components/`), []byte(`"document.json#/components/`)))
		s.compiled[string(raw)], err = s.Compile(name)
		require.NoError(t, err, about)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	require.NoError(t, err, "%s: %s", about, text)
	require.NoError(t, s.compiled[string(raw)].Validate(value), "%s: %s", about, text)
}

// requireSameFields compares the names of the fields in two values, down to the depth at which
// the schema names them. Open parts such as metadata may differ.
func requireSameFields(t *testing.T, doc *huma.OpenAPI, schema *huma.Schema, example, answer, about string) {
	t.Helper()
	schema = resolved(doc, schema)
	if schema.Type == huma.TypeArray {
		var ours, theirs []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(example), &ours), about)
		require.NoError(t, json.Unmarshal([]byte(answer), &theirs), about)
		if len(ours) > 0 && len(theirs) > 0 {
			requireSameFields(t, doc, schema.Items, string(ours[0]), string(theirs[0]), about+"[]")
		}
		return
	}
	if len(schema.Properties) == 0 || example == "null" || answer == "null" {
		return
	}
	var ours, theirs map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(example), &ours), about)
	require.NoError(t, json.Unmarshal([]byte(answer), &theirs), about)
	require.Equal(t, slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs)), "%s: the example and the answer have other fields", about)
	for name, property := range schema.Properties {
		requireSameFields(t, doc, property, string(ours[name]), string(theirs[name]), about+"."+name)
	}
}
