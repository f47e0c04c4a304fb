package httpapi

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/wire"
)

const (
	// IgnoredHeader names the fields of a request's body that had no effect, with commas between
	// them.
	IgnoredHeader = "Durapay-Ignored-Fields"
	// IgnoredField is the same list in the sandbox's answers.
	IgnoredField = "ignored_fields"
	// mostIgnored is the maximum number of names in an answer, and longestIgnored that of the bytes
	// of each.
	mostIgnored    = 20
	longestIgnored = 100
)

// Names are the fields that a body of a type may have. The content of a nil value is free.
type Names map[string]Names

// NamesOf returns the fields of a Body's type: nil unless it is a struct that decodes its fields.
func NamesOf(body reflect.Type) Names {
	b, is := reflect.TypeAssert[interface{ content() reflect.Type }](reflect.New(body))
	if !is {
		return nil
	}
	return namesOf(b.content())
}

func (b *Body[T]) content() reflect.Type { return reflect.TypeFor[T]() }

// namesOf follows pointers and lists. Types that decode themselves are free.
func namesOf(t reflect.Type) Names {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	if t.Kind() != reflect.Struct || p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	names := Names{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names[name] = namesOf(f.Type)
		}
	}
	return names
}

// missingFrom returns the names of an object that are no fields, or of the objects in a list, in
// alphabetical order, with dots between nested names. It returns nothing for any other value. It
// looks at a body before that is refused, so it follows only what a body may have: a list in a
// list costs nothing.
func (n Names) missingFrom(raw []byte) (all []string) {
	if n == nil {
		return nil
	}
	objects := []json.RawMessage{raw}
	if raw = bytes.TrimLeft(raw, " \t\r\n"); len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &objects) != nil {
		return nil
	}
	for _, object := range objects {
		members, err := wire.Members(object)
		if err != nil {
			continue
		}
		for _, m := range members {
			of, known := n[m.Name]
			if !known {
				all = append(all, m.Name)
			}
			for _, name := range of.missingFrom(m.Value) {
				all = append(all, m.Name+"."+name)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ignoredKey is the context key of the names of a request's ignored fields: a *[]string.
type ignoredKey struct{}

// withIgnored stores the names of a request's ignored fields.
func withIgnored(ctx huma.Context, names []string) huma.Context {
	ctx = huma.WithValue(ctx, ignoredKey{}, &names)
	announceIgnored(ctx)
	return ctx
}

// Ignore adds the name of a field whose value has no effect. It does nothing on a surface that does
// not show such names.
func Ignore(ctx context.Context, name string) {
	if names, shown := ctx.Value(ignoredKey{}).(*[]string); shown {
		*names = append(*names, name)
	}
}

// announceIgnored sets the header with the names.
func announceIgnored(ctx huma.Context) {
	var escaped []string
	for _, name := range ignored(ctx) {
		escaped = append(escaped, url.PathEscape(name))
	}
	if len(escaped) > 0 {
		ctx.SetHeader(IgnoredHeader, strings.Join(escaped, ", "))
	}
}

// ignored returns the names that an answer shows.
func ignored(ctx huma.Context) (shown []string) {
	names, noted := ctx.Context().Value(ignoredKey{}).(*[]string)
	if !noted {
		return nil
	}
	for _, name := range (*names)[:min(len(*names), mostIgnored)] {
		shown = append(shown, strings.ToValidUTF8(name[:min(len(name), longestIgnored)], ""))
	}
	return shown
}

// ShowIgnored returns a transformer that sets the header IgnoredHeader. Where visible allows, it
// also adds the field IgnoredField to a successful answer that is an object.
func ShowIgnored(visible func(context.Context) bool) huma.Transformer {
	return func(ctx huma.Context, status string, v any) (any, error) {
		names := ignored(ctx)
		if len(names) == 0 {
			return v, nil
		}
		announceIgnored(ctx)
		if !strings.HasPrefix(status, "2") || !visible(ctx.Context()) {
			return v, nil
		}
		return withNames{v, names}, nil
	}
}

// withNames is an answer with the names of ignored fields.
type withNames struct {
	answer any
	names  []string
}

// MarshalJSON adds the names at the end of an object, and writes other answers unchanged.
func (a withNames) MarshalJSON() ([]byte, error) {
	var plain strings.Builder
	if err := Write(&plain, a.answer); err != nil {
		return nil, err
	}
	text := strings.TrimSpace(plain.String())
	inside, isObject := strings.CutSuffix(text, "}")
	if !isObject {
		return []byte(text), nil
	}
	list, err := json.Marshal(a.names)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(inside, "{") {
		inside += ","
	}
	return []byte(inside + `"` + IgnoredField + `":` + string(list) + "}"), nil
}
