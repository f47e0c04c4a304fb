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
	"github.com/durapay/durapay/internal/scopedkey"
)

// pluginCalls is what a shop plugin calls, in its order.
type pluginCalls struct {
	Application string                 `json:"application"`
	Permissions []scopedkey.Permission `json:"permissions"`
	Steps       []pluginStep           `json:"steps"`
}

// pluginStep is a call, or what happens between two.
type pluginStep struct {
	Does   string `json:"does"`
	Method string `json:"method"`
	Path   string `json:"path"`
	// Body is sent; Answer is a part of what comes back with Status, 200 by default.
	// Without an Answer nothing comes back.
	Body   json.RawMessage `json:"body"`
	Answer json.RawMessage `json:"answer"`
	Status int             `json:"status"`
	// Keep gives names to what identifies things from then on, by the field of the
	// answer, or of the first of a list.
	Keep map[string]string `json:"keep"`
	// Lacks are fields that the answer must not have.
	Lacks []string `json:"lacks"`
	// Waits says that the call is made again until it is answered so.
	Waits bool `json:"waits"`
	// Pays is an amount in XMR that arrives now, deep enough.
	Pays string `json:"pays"`
}

// testGreenfieldPlugins plays the calls of WooCommerce, PrestaShop, Magento,
// Shopware and of BTCPay's PHP library against the service.
func testGreenfieldPlugins(t *testing.T, b *bench) {
	files, err := filepath.Glob("../greenfield/testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 5)
	_, err = b.store.Pool().Exec(t.Context(), "UPDATE wallets SET scanned_at = now() WHERE id IN ('live-1', 'sandbox-1')")
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
		}, patience, 50*time.Millisecond, step.Does)
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

// identified is a field of an answer, or of the first of a list; the answer itself
// without a field.
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

// partOf says where an answer is not what was expected; nothing where it is. Objects
// may hold more than was asked for, everything else is the same, digit for digit and
// of the same type.
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

// TestAPluginsPathMayEndWithASlash: BTCPay's own Zapier application writes one.
func TestAPluginsPathMayEndWithASlash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	k := b.scoped(t, s, "Zapier", scopedkey.ViewInvoices)
	path := "/api/v1/stores/" + s.id + "/invoices"
	plain := b.send(t, http.MethodGet, path, token(k), "").require(t, http.StatusOK)
	require.Equal(t, plain.body, b.send(t, http.MethodGet, path+"/?take=10", token(k), "").require(t, http.StatusOK).body)
	b.send(t, http.MethodGet, "/api/charges/", key(s.live), "").require(t, http.StatusNotFound)
}

// TestTheDeskShowsTheOrderOfAPlugin: plugins call it orderId, our own clients order_id.
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
