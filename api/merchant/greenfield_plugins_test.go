package merchant_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
)

// pluginCalls are the calls of a shop plugin, in order.
type pluginCalls struct {
	Application string                  `json:"application"`
	Permissions []permission.Permission `json:"permissions"`
	Steps       []pluginStep            `json:"steps"`
}

// pluginStep is a call, or an event between two calls.
type pluginStep struct {
	Does   string `json:"does"`
	Method string `json:"method"`
	Path   string `json:"path"`
	// Body is the request's body. Answer is a part of the expected answer, and Status its expected
	// status, 200 by default. Without an Answer the response must have no body.
	Body   json.RawMessage `json:"body"`
	Answer json.RawMessage `json:"answer"`
	Status int             `json:"status"`
	// Keep stores identifiers from the answer, or from the first element of a list, under names for
	// later steps. It maps each name to its field.
	Keep map[string]string `json:"keep"`
	// Lacks are fields that the answer must not have.
	Lacks []string `json:"lacks"`
	// Waits is set for a call that is repeated until it gets the expected answer.
	Waits bool `json:"waits"`
	// Pays is an amount in XMR that arrives now, with enough confirmations.
	Pays string `json:"pays"`
}

// testGreenfieldPlugins replays the calls of WooCommerce, PrestaShop, Magento, Shopware and
// BTCPay's PHP library against the service.
func testGreenfieldPlugins(t *testing.T, b *bench) {
	files, err := filepath.Glob("../greenfield/testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 5)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE chains SET scanned_at = now() WHERE id IN ('xmr-live', 'xmr-sandbox')")
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { b.playPlugin(t, file) })
	}
}

func (b *bench) playPlugin(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var calls pluginCalls
	require.NoError(t, json.Unmarshal(text, &calls))
	s := b.signup(t)
	k := b.scoped(t, s, calls.Application, calls.Permissions...)
	names := map[string]string{"store": s.id}
	for _, step := range calls.Steps {
		if step.Pays != "" {
			amount, err := money.PiconeroFromXMR(money.MustDecimal(step.Pays))
			require.NoError(t, err)
			b.receive(t, names["invoice"], amount)
			continue
		}
		a := b.playStep(t, k, step, names)
		for name, field := range step.Keep {
			names[name] = identified(t, decoded(t, a.body), field)
		}
	}
}

// playStep makes a call and compares its answer.
func (b *bench) playStep(t *testing.T, key string, step pluginStep, names map[string]string) answer {
	t.Helper()
	fill := func(text string) string {
		for name, value := range names {
			text = strings.ReplaceAll(text, "{"+name+"}", value)
		}
		return text
	}
	send := func() answer {
		return b.send(t, step.Method, "/api/v1"+fill(step.Path), token(key), string(step.Body))
	}
	a := send()
	if step.Waits {
		require.Eventually(t, func() bool {
			a = send()
			return a.status == http.StatusOK && partOf(decoded(t, fill(string(step.Answer))), decoded(t, a.body)) == ""
		}, maxWait, 50*time.Millisecond, step.Does)
	}
	require.Equal(t, max(step.Status, http.StatusOK), a.status, "%s: %s", step.Does, a.body)
	if step.Answer == nil {
		require.Empty(t, a.body, step.Does)
		return a
	}
	require.Equal(t, "application/json", a.header.Get("Content-Type"), step.Does)
	require.Empty(t, partOf(decoded(t, fill(string(step.Answer))), decoded(t, a.body)), "%s: %s", step.Does, a.body)
	for _, name := range step.Lacks {
		require.NotContains(t, decoded(t, a.body), name, step.Does)
	}
	return a
}

// identified returns a field of an answer, or of the first element of a list. Without a field
// name it returns the answer itself.
func identified(t *testing.T, answered any, field string) string {
	t.Helper()
	if list, ok := answered.([]any); ok {
		require.NotEmpty(t, list)
		answered = list[0]
	}
	if field != "" {
		answered = answered.(map[string]any)[field]
	}
	require.IsType(t, "", answered)
	return answered.(string)
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v), text)
	return v
}

// partOf returns where an answer differs from the expected one, or "" if it matches. Objects may
// have additional fields. Everything else must have the same type and the same digits.
func partOf(want, got any) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%v is no object", got)
		}
		for name, value := range want {
			if _, has := object[name]; !has {
				return "there is no " + name
			}
			if wrong := partOf(value, object[name]); wrong != "" {
				return name + ": " + wrong
			}
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%v is no list of %d", got, len(want))
		}
		for i := range want {
			if wrong := partOf(want[i], list[i]); wrong != "" {
				return wrong
			}
		}
	default:
		if want != got {
			return fmt.Sprintf("%#v instead of %#v", got, want)
		}
	}
	return ""
}

// TestAPluginsPathMayEndWithASlash checks this because BTCPay's own Zapier application sends
// such paths.
func TestAPluginsPathMayEndWithASlash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.scoped(t, s, "Zapier", permission.ViewInvoices)
	path := "/api/v1/stores/" + s.id + "/invoices"
	plain := b.send(t, http.MethodGet, path, token(k), "").require(t, http.StatusOK)
	require.Equal(t, plain.body, b.send(t, http.MethodGet, path+"/?take=10", token(k), "").require(t, http.StatusOK).body)
	b.send(t, http.MethodGet, "/api/charges/", key(s.live), "").require(t, http.StatusNotFound)
}

// TestTheDeskShowsTheOrderOfAPlugin checks both names of the field: plugins call it orderId, and
// our own clients order_id.
func TestTheDeskShowsTheOrderOfAPlugin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	for i, metadata := range []string{`{"orderId":"WC-1"}`, `{"order_id":"WC-1"}`, `{"order_id":"WC-1","orderId":"other"}`, `{"order_id":"","orderId":"WC-1"}`} {
		id := b.charge(t, s, config.Live)
		b.exec(t, "UPDATE charges SET metadata = $2 WHERE id = $1", id, metadata)
		require.Contains(t, v.page(t, "/charges/"+id), "WC-1", "%d", i)
	}
}
