package merchant_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/openapi"
)

// TestTextThatNoDatabaseHolds puts characters that PostgreSQL refuses into every query
// parameter and every place of a path, for an account's key, session and plugin. None is a
// server error.
func TestTextThatNoDatabaseHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	var document struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ In, Name string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(b.send(t, http.MethodGet, "/openapi.json", as{}, "").require(t, http.StatusOK).body), &document))
	// Routes that the document does not have are of the desk, of pages and of Greenfield.
	others := []string{"status", "done", "month", "webhook", "lang", "next", "text", "cursor"}
	for _, found := range regexp.MustCompile(`in: query\s+name: (\S+)`).FindAllStringSubmatch(string(openapi.Greenfield), -1) {
		others = append(others, found[1])
	}
	parameters := func(path string) []string {
		operation, documented := document.Paths[path]["get"]
		if !documented {
			return others
		}
		var names []string
		for _, p := range operation.Parameters {
			if p.In == "query" {
				names = append(names, p.Name)
			}
		}
		return names
	}
	asked := 0
	for _, route := range b.walked(t) {
		method, path, _ := strings.Cut(route, " ")
		if method != http.MethodGet {
			continue
		}
		for _, odd := range []string{"a%00b", "%ff"} {
			all := []string{placeholder.ReplaceAllString(path, odd)}
			for _, name := range parameters(path) {
				all = append(all, placeholder.ReplaceAllString(strings.ReplaceAll(path, "{storeId}", s.id), odd)+"?"+name+"="+odd)
			}
			for _, at := range all {
				for _, who := range []as{key(s.live), session(s.token), {"Authorization", "token " + s.live}} {
					got := b.send(t, method, at, who, "")
					require.NotEqual(t, http.StatusInternalServerError, got.status, "%s: %s", at, got.body)
					asked++
				}
			}
		}
	}
	require.Greater(t, asked, 1000)
}
