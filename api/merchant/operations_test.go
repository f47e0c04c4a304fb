package merchant_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
)

type operation struct {
	*huma.Operation
	// kind is the credential that it needs: apiKey, session, or "" for none.
	kind string
}

// These are the kinds of credentials in the document.
const (
	keyKind     = "apiKey"
	sessionKind = "session"
)

// String names the operation in failures.
func (o operation) String() string { return o.Method + " " + o.Path + " (" + o.OperationID + ")" }

// admin reports whether only operators may call it.
func (o operation) admin() bool { return strings.HasPrefix(o.Path, "/api/admin/") }

// owned reports whether its path names a single resource.
func (o operation) owned() bool { return strings.Contains(o.Path, "{") }

func (o operation) takes(contentType string) bool {
	return o.RequestBody != nil && o.RequestBody.Content[contentType] != nil
}

// example returns the documented example of its JSON body; empty without a body.
func (o operation) example(t *testing.T) string {
	t.Helper()
	if !o.takes("application/json") {
		return ""
	}
	example := o.RequestBody.Content["application/json"].Example
	require.NotNil(t, example, "%s has no example of its body", o)
	text, err := json.Marshal(example)
	require.NoError(t, err)
	return string(text)
}

// documented fails if the document does not list the status.
func (o operation) documented(t *testing.T, status int) {
	t.Helper()
	require.Contains(t, o.Responses, statusText(status), "%s answers a status that is not documented", o)
}

// statusText returns a status as it is written in the document.
func statusText(status int) string { return strconv.Itoa(status) }

func document() *huma.OpenAPI { return merchant.API(merchant.Deps{}).OpenAPI() }

// operations returns all operations of the document, in the order of their paths.
func operations(doc *huma.OpenAPI) []operation {
	var all []operation
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			o := operation{Operation: op}
			if len(op.Security) > 0 {
				o.kind = slices.Collect(maps.Keys(op.Security[0]))[0]
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
	})
	return all
}

// methodsOf returns the methods of all documented paths that a path matches, in the order of the
// header Allow. GET implies HEAD.
func methodsOf(doc *huma.OpenAPI, path string) []string {
	found := map[string]bool{}
	for _, o := range operations(doc) {
		if !pattern(o.Path).MatchString(path) {
			continue
		}
		found[o.Method] = true
		if o.Method == http.MethodGet {
			found[http.MethodHead] = true
		}
	}
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
		if found[m] {
			methods = append(methods, m)
		}
	}
	return methods
}

// pattern returns an expression that matches the paths of a path template.
func pattern(template string) *regexp.Regexp {
	parts := strings.Split(template, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i] = "[^/]+"
		} else {
			parts[i] = regexp.QuoteMeta(part)
		}
	}
	return regexp.MustCompile("^" + strings.Join(parts, "/") + "$")
}

func TestEveryOperationHasASample(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, o := range operations(document()) {
		known[o.OperationID] = true
	}
	for id := range samples() {
		require.True(t, known[id], "samples_test.go has a sample of %s, which the document does not list", id)
	}
}
