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
	"github.com/durapay/durapay/internal/provider/providerconfig"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/sanctions"
)

// proxyOfTheChild tells the child process of the test below its proxy.
const proxyOfTheChild = "LEAK_TEST_PROXY"

// everyProxiedCall makes each kind of call that goes through the proxy, to a
// name of its own. Whether it comes to anything is all the same.
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
	swaps, err := providerconfig.New(providerconfig.Entry{
		Name: "one", Kind: "aggregator", URL: "http://provider.leak.example", Risk: provider.RiskControlled, Rating: provider.RatingA,
	}, through)
	require.NoError(t, err)
	inTime(func() error { _, err := swaps.Quote(ctx, providertest.Request(t)); return err })
}

// inTime makes a call again that was over before a busy machine got to it.
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

// TestChildOfTheLeakTest runs in the child process alone.
func TestChildOfTheLeakTest(t *testing.T) { //nolint:paralleltest // it is alone in its process
	socks := os.Getenv(proxyOfTheChild)
	if socks == "" {
		t.Skip("runs as the child of TestNoNameIsResolvedOutsideOfTheProxy")
	}
	everyProxiedCall(t, socks)
	// The check on the check: a direct call does resolve, and it shows.
	if res, err := outbound.NewDirect(here(), outbound.Options{}).Get("http://localhost:1/"); err == nil {
		_ = res.Body.Close()
	}
}

// TestNoNameIsResolvedOutsideOfTheProxy makes every proxied call in a process
// whose resolver, Go's own for all that it runs, tells of each name it is
// asked for, before it looks into any file or asks any server.
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
