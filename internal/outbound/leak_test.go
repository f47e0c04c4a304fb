package outbound_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/adapter"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
)

// proxyOfTheChild is the environment variable with the proxy of the child
// process of the test below.
const proxyOfTheChild = "LEAK_TEST_PROXY"

// everyProxiedCall makes each kind of proxied call, each to a different name.
// It does not matter whether the calls succeed.
func everyProxiedCall(t *testing.T, socks string) {
	t.Helper()
	ctx := t.Context()
	through := config.Outbound{SOCKS5Proxy: socks}
	sender := torSender(socks)
	for _, url := range []string{"http://webhook.leak.example/", "https://secure.leak.example/", "http://" + onion + "/"} {
		_, _ = postTor(t, sender, url)
	}
	get := func(client *http.Client, url string) {
		inTime(func() error {
			res, err := client.Get(url)
			if err == nil {
				_ = res.Body.Close()
			}
			return err
		})
	}
	get(rates.Client(config.Prices{PriceUseProxy: true}, through), "http://prices.leak.example/")
	source, ok := sanctions.NewSource(config.Sanctions{SanctionsURL: "http://sanctions.leak.example/", SanctionsUseProxy: true}, through)
	require.True(t, ok)
	_, _ = source.Read(ctx)
	swaps, err := adapter.OpenProvider(adapter.ConfigEntry{
		Name: "one", Kind: "aggregator", URL: "http://provider.leak.example", Risk: provider.RiskControlled, Rating: provider.RatingA,
	}, through)
	require.NoError(t, err)
	inTime(func() error { _, err := swaps.Quote(ctx, providertest.Request(t)); return err })
}

// inTime repeats a call that timed out on a busy machine.
func inTime(call func() error) {
	for range 5 {
		if outbound.Describe(call()) != "timeout" {
			return
		}
	}
}

func leakNames() []string {
	return []string{
		"webhook.leak.example", "secure.leak.example", onion, "prices.leak.example", "sanctions.leak.example", "provider.leak.example",
	}
}

// TestChildOfTheLeakTest only runs in the child process.
func TestChildOfTheLeakTest(t *testing.T) { //nolint:paralleltest // it is alone in its process
	socks := os.Getenv(proxyOfTheChild)
	if socks == "" {
		t.Skip("runs as the child of TestNoNameIsResolvedOutsideOfTheProxy")
	}
	everyProxiedCall(t, socks)
	// This checks the test itself: a direct call does resolve a name, and the
	// output shows it.
	if res, err := outbound.NewDirect(here(), outbound.Options{}).Get("http://localhost:1/"); err == nil {
		_ = res.Body.Close()
	}
}

// TestNoNameIsResolvedOutsideOfTheProxy makes every proxied call in a child
// process that uses only Go's own resolver. That resolver prints each requested
// name before it reads a file or asks a server.
func TestNoNameIsResolvedOutsideOfTheProxy(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	socks := startSOCKS(t, server.Listener.Addr().String())
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(context.Background(), self, "-test.run", "^TestChildOfTheLeakTest$", "-test.v")
	child.Env = append(os.Environ(), proxyOfTheChild+"="+socks.addr(), "GODEBUG=netdns=go+2")
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "hostLookupOrder(localhost)", "what is resolved shows")
	var asked []string
	for _, r := range socks.seen() {
		asked = append(asked, r.host)
		require.EqualValues(t, kindName, r.kind, r.host)
	}
	for _, name := range leakNames() {
		require.True(t, slices.Contains(asked, name), "the proxy got %s: %v", name, asked)
		require.NotContains(t, string(out), "LookupOrder("+name, "%s was resolved here", name)
	}
}
