package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/stack"
)

// merchantStacks are stacks of the merchants' side alone.
var merchantStacks = newKind(2, func() (*testbed, error) {
	daemon, err := startProxy()
	if err != nil {
		return nil, err
	}
	// With GODEBUG every name that a service resolves is in its log.
	w, err := openWith(settings(map[string]string{"MONEROD_RPC_URL": daemon.url, "GODEBUG": "netdns=go+2"}), stack.MerchantParts(),
		func(s *stack.Stack) error {
			daemon.forwardTo(s.Addr("monerod"))
			return nil
		})
	if err == nil {
		w.daemon = daemon
	}
	return w, err
})

// fullStack is a stack of both services: its merchants swap at its own exchange.
type fullStack struct {
	// bourse is the exchange.
	*bourse

	merchants *testbed
	// provider is between the merchants' services and the exchange.
	provider *proxy
	// elsewhere is another provider, on the internet, which mostly has no offer.
	elsewhere *elsewhere
}

var fullStacks = newKind(4, openFullStack)

func openFullStack() (*fullStack, error) {
	var proxies [3]*proxy
	for i := range proxies {
		var err error
		if proxies[i], err = startProxy(); err != nil {
			return nil, err
		}
	}
	daemon, litecoind, provider := proxies[0], proxies[1], proxies[2]
	litecoind.methods = true
	away, err := startElsewhere()
	if err != nil {
		return nil, err
	}
	env := settings(map[string]string{"MONEROD_RPC_URL": daemon.url, "EXCHANGE_LITECOIND_URL": litecoind.url})
	w, err := openWith(env, append(stack.MerchantParts(), "swap-api"), func(s *stack.Stack) error {
		daemon.forwardTo(s.Addr("monerod"))
		litecoind.forwardTo(s.Addr("litecoind"))
		provider.forwardTo(s.Addr("swap"))
		list := fmt.Sprintf(`[{"name":"house","kind":"durapay","url":%q,"risk":"precheck","rating":"A","direct":true,"private":true},
			{"name":"elsewhere","kind":"exolix","url":%q,"risk":"flexible","rating":"C","direct":true,"private":true}]`, provider.url, away.url)
		env["MERCHANT_SWAP_PROVIDERS_FILE"] = filepath.Join(s.Dir(), "providers.json")
		return os.WriteFile(env["MERCHANT_SWAP_PROVIDERS_FILE"], []byte(list), 0o600)
	})
	if err != nil {
		return nil, err
	}
	w.daemon = daemon
	exchange := *w
	exchange.url = w.Stack.Env()["SWAP_URL"]
	b := &bourse{testbed: &exchange, litecoin: w.Stack.Env()["LITECOIN_RPC_URL"], litecoind: litecoind}
	return &fullStack{bourse: b, merchants: w, provider: provider, elsewhere: away}, nil
}

// with starts the services of the stack with other settings, which stay until the test
// ends.
func (w *testbed) with(t *testing.T, settings map[string]string) {
	t.Helper()
	maps.Copy(w.env, settings)
	require.NoError(t, w.Stack.Up(within(t)))
}

// restore starts every part that is dead, with the settings of the beginning. It reports
// whether all of them are ready.
func (w *testbed) restore(t *testing.T) bool {
	t.Helper()
	clear(w.env)
	maps.Copy(w.env, w.own)
	err := w.Stack.Up(within(t))
	if err != nil {
		t.Logf("the stack is replaced: %v", err)
	}
	return err == nil
}
