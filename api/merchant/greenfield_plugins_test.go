package merchant_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/scopedkey"
)

// pluginCalls is what a shop plugin calls, in its order.
type pluginCalls struct {
	Application string                 `json:"application"`
	Permissions []scopedkey.Permission `json:"permissions"`
	Steps       []struct {
		Does   string `json:"does"`
		Method string `json:"method"`
		Path   string `json:"path"`
		// Body is sent; Answer is a part of what comes back with Status, 200 by default.
		Body   json.RawMessage `json:"body"`
		Answer json.RawMessage `json:"answer"`
		Status int             `json:"status"`
		// Keep names the field of the answer that identifies the invoice from then on.
		Keep string `json:"keep"`
		// Pays is an amount in XMR that arrives now, deep enough.
		Pays string `json:"pays"`
	} `json:"steps"`
}

// testGreenfieldPlugins plays the calls of WooCommerce, PrestaShop, Magento and
// Shopware against the service.
func testGreenfieldPlugins(t *testing.T, b *bench) {
	files, err := filepath.Glob("../greenfield/testdata/*.json")
	require.NoError(t, err)
	require.Len(t, files, 4)
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
	invoice := ""
	for _, step := range calls.Steps {
		fill := strings.NewReplacer("{store}", s.id, "{invoice}", invoice)
		if step.Pays != "" {
			amount, err := money.PiconeroFromXMR(money.MustDecimal(step.Pays))
			require.NoError(t, err)
			b.receive(t, invoice, amount)
			continue
		}
		a := b.send(t, step.Method, "/api/v1"+fill.Replace(step.Path), token(k), string(step.Body))
		require.Equal(t, max(step.Status, http.StatusOK), a.status, "%s: %s", step.Does, a.body)
		require.Equal(t, "application/json", a.header.Get("Content-Type"), step.Does)
		requirePart(t, decoded(t, fill.Replace(string(step.Answer))), decoded(t, a.body), step.Does)
		if step.Keep != "" {
			invoice = a.text(t, step.Keep)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&v), text)
	return v
}

// requirePart: objects may hold more than was asked for, everything else is the
// same, digit for digit and of the same type.
func requirePart(t *testing.T, want, got any, about string) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v is no object", about, got)
		for name, value := range want {
			require.Contains(t, object, name, about)
			requirePart(t, value, object[name], about+": "+name)
		}
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, "%s: %v is no list", about, got)
		require.Len(t, list, len(want), about)
		for i := range want {
			requirePart(t, want[i], list[i], about)
		}
	default:
		require.Equal(t, want, got, about)
	}
}
