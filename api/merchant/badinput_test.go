package merchant_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

const formType = "application/x-www-form-urlencoded"

// notObjects returns bodies that every operation refuses.
func notObjects() []string {
	return []string{
		"", " ", "null", "[]", "[{}]", "1", `"x"`, "true", "{", "{}}", "{} x", "{}{}", "{}\x00", `{"amount":}`, `{"a":NaN}`, `{"a":Infinity}`, "{'a':1}", "{a:1}",
		`{"a":01}`, `{"a":1,}`, "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}", `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, "{\"a\":\"\x00\"}", `{"a":"\ud800"}`, `{"a":"\x"}`, "{}//", "{}/**/",
		strings.Repeat("[", 10_000), `{"a":` + strings.Repeat(`{"a":`, 2000), strings.Repeat(`{"a":`, 5) + strings.Repeat("[", 9000),
		"{}" + strings.Repeat(" ", 10*1024), strings.Repeat("x", 100<<10), strings.Repeat("x", 2<<20),
	}
}

// wrongContentTypes returns content types that no body may have.
func wrongContentTypes() []string {
	return []string{"", "text/plain", "application/json; charset=\"", ";", "application/xml", "application/jsonx", "application/json, text/plain", "multipart/form-data; boundary=x", "*/*"}
}

// sendAs sends a request with a body of the given content type.
func (b *bench) sendAs(t *testing.T, method, path string, who as, contentType, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	if who.name != "" {
		req.Header.Set(who.name, who.value)
	}
	return do(t, req)
}

func TestEveryBodyIsRefusedWhenItIsNotWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	doc := document()
	for _, o := range operations(doc) {
		if o.RequestBody == nil {
			continue
		}
		path, who, before := s.pathOf(t, o), s.credential(t, o), b.digest(t)
		for _, body := range notObjects() {
			b.send(t, o.Method, path, who, body).require(t, http.StatusBadRequest, o, brief(body))
			b.sendAs(t, o.Method, path, who, "application/json", body).require(t, http.StatusBadRequest, o, brief(body))
		}
		for _, contentType := range wrongContentTypes() {
			b.sendAs(t, o.Method, path, who, contentType, sampleOf(t, o, s).body).require(t, http.StatusBadRequest, o, contentType)
		}
		if !o.takes(formType) {
			b.sendAs(t, o.Method, path, who, formType, "amount=1").require(t, http.StatusBadRequest, o)
		}
		for _, body := range wrongFields(t, doc, o, sampleOf(t, o, s).body) {
			b.send(t, o.Method, path, who, body).require(t, http.StatusBadRequest, o, body)
		}
		require.Equal(t, before, b.digest(t), "%s: a refused body has changed something", o)
		o.documented(t, http.StatusBadRequest)
	}
}

func brief(s string) string { return fmt.Sprintf("%.60q", s) }

// wrongFields returns variants of the sample, each with one field that the schema does not
// allow.
func wrongFields(t *testing.T, doc *huma.OpenAPI, o operation, body string) []string {
	t.Helper()
	schema := resolved(doc, o.RequestBody.Content["application/json"].Schema)
	fields := map[string]*huma.Schema{}
	maps.Copy(fields, schema.Properties)
	if values, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		var sent map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(body), &sent))
		for name := range sent {
			fields[name] = values
		}
	}
	require.NotEmpty(t, fields, "%s: the document tells no field of its body", o)
	var all []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		required := slices.Contains(schema.Required, name)
		for _, value := range wrongValues(resolved(doc, fields[name]), required) {
			all = append(all, changed(t, body, name, value))
		}
		if required {
			all = append(all, changed(t, body, name, ""))
		}
	}
	return all
}

// resolved follows a reference.
func resolved(doc *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		return doc.Components.Schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// changed returns the object with another value of a field, or without the field.
func changed(t *testing.T, body, name, value string) string {
	t.Helper()
	members := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal([]byte(body), &members), body)
	delete(members, name)
	if value != "" {
		members[name] = json.RawMessage(value)
	}
	text, err := json.Marshal(members)
	require.NoError(t, err)
	return string(text)
}

// wrongValues returns JSON values that the schema does not allow. An optional field may be null.
func wrongValues(s *huma.Schema, required bool) []string {
	var wrong []string
	for kind, values := range map[string][]string{
		huma.TypeString: {`"x"`, `""`, `"1"`, `"true"`}, huma.TypeBoolean: {"true", "false"}, huma.TypeNumber: {"1.5", "1"},
		huma.TypeArray: {"[]", "[[]]", "[null]"}, huma.TypeObject: {"{}", `{"a":1}`},
	} {
		if !allows(s, kind) {
			wrong = append(wrong, values...)
		}
	}
	if required {
		wrong = append(wrong, "null")
	}
	if len(s.Enum) > 0 && s.Type != huma.TypeArray {
		wrong = append(wrong, `"nonsense"`, `""`, `" "`)
	}
	if s.Format == "date-time" {
		wrong = append(wrong, `"tomorrow"`, `"2027-13-01T00:00:00Z"`, `"2027-02-30T00:00:00Z"`, `"2027-01-01"`, `"2027-01-01T00:00:00"`, `"\u0000"`)
	}
	if s.Minimum != nil {
		wrong = append(wrong, decimalText(*s.Minimum-0.001), decimalText(*s.Minimum-1), "-1e-3", "-1e400")
	}
	if s.Maximum != nil {
		wrong = append(wrong, decimalText(*s.Maximum+0.01), decimalText(*s.Maximum*10+1), "1e400", "1e99999")
	}
	if allows(s, huma.TypeArray) {
		wrong = append(wrong, "[1]", "[{}]", `["x",1]`, "[[]]", "[true]")
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

func decimalText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func allows(s *huma.Schema, kind string) bool {
	for _, one := range s.OneOf {
		if allows(one, kind) {
			return true
		}
	}
	return s.Type == kind || (kind == huma.TypeNumber && s.Type == huma.TypeInteger) || (s.Type == "" && len(s.OneOf) == 0)
}

// TestNoQueryIsAFault sends what the database cannot hold in each parameter of each query.
func TestNoQueryIsAFault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	for _, o := range operations(document()) {
		for _, p := range o.Parameters {
			for _, value := range []string{"%00", "a%00b", "%ff", "%F0%9F%98%80", strings.Repeat("9", 3000)} {
				if p.In == "query" {
					a := b.send(t, o.Method, s.pathOf(t, o)+"?"+p.Name+"="+value, s.credential(t, o), "")
					require.Less(t, a.status, http.StatusInternalServerError, "%s %s=%s: %s", o, p.Name, brief(value), a.body)
				}
			}
		}
	}
}

func TestFormsAreRefusedWhenTheyAreBroken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	checked := 0
	for _, o := range operations(document()) {
		if !o.takes(formType) {
			continue
		}
		before := b.digest(t)
		for _, body := range []string{
			"", "%", "a=%zz", "a=%ff", "%ff=a", "a=1;b=2", "email=a&email=b", "amount=x", "amount=1,5", "email=%00" + strings.Repeat("a", 501),
			"merchant_id=" + s.id + "&amount=0x10", "merchant_id=" + s.id + "&amount=NaN", "merchant_id=" + s.id + "&amount=1&amount=2",
			"merchant_id=" + s.id + "&amount=1&fields=A", "merchant_id=" + s.id + "&amount=%22%22", "a=" + strings.Repeat("a", 10*1024),
		} {
			b.sendAs(t, o.Method, s.pathOf(t, o), anonymous(), formType, body).require(t, http.StatusBadRequest, o, brief(body))
		}
		require.Equal(t, before, b.digest(t), "%s", o)
		checked++
	}
	require.Positive(t, checked)
}

// testBodiesThatAreTaken checks that each unchanged sample is accepted. So the changes caused
// the refusals above.
func testBodiesThatAreTaken(t *testing.T, b *bench) {
	for _, o := range operations(document()) {
		if o.RequestBody == nil {
			continue
		}
		for name, variant := range map[string]func(body string) (contentType, path, sent string){
			"as it is":      func(body string) (string, string, string) { return "application/json", "", body },
			"exactly 10 KB": func(body string) (string, string, string) { return "application/json", "", padded(body, 10*1024) },
			"unknown fields": func(body string) (string, string, string) {
				return "application/json", "?x=1&amount=%ff", unknown(t, o, body)
			},
			"another spelling of the type": func(body string) (string, string, string) {
				return "Application/JSON; charset=utf-8", "", "\n\t " + body + "\r\n"
			},
		} {
			s := b.own(t)
			with := sampleOf(t, o, s)
			contentType, query, body := variant(with.ready(t, b, s))
			b.sendAs(t, o.Method, s.pathOf(t, o)+query, s.credential(t, o), contentType, body).require(t, with.status, o, name)
		}
		s := b.own(t)
		b.sendAs(t, o.Method, s.pathOf(t, o), s.credential(t, o), "application/json", padded(sampleOf(t, o, s).body, 10*1024+1)).
			require(t, http.StatusBadRequest, o, "more than 10 KB")
	}
}

func padded(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }

// unknown returns the body with unknown fields, except for an operation in which every name has
// a meaning.
func unknown(t *testing.T, o operation, body string) string {
	t.Helper()
	if o.OperationID == "setBuyerInfo" {
		return body
	}
	deep := strings.Repeat("[", 3000) + strings.Repeat("]", 3000)
	return changed(t, changed(t, body, "x_unknown", `{"a":[1,null,"\u0000"]}`), "Amount", deep)
}
