package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

// mirror is the onion mirror of a stack with a shop.
type mirror struct {
	*shop

	net *fixture.Network
	url string
	// hooks is behind an onion service of its own, host.
	hooks *fixture.Receiver
	host  string
	hook  clients.Webhook
}

// TestMerchantsOverTor is one scenario: the mirror is reached, tells visitors
// apart, delivers to an onion service, and loses its proxy.
func TestMerchantsOverTor(t *testing.T) {
	t.Parallel()
	w := merchantStacks.take(t)
	n := onTor(t)
	require.NoError(t, w.Stack.JoinTor(within(t), n.Torrc()))
	m := &mirror{shop: openShop(t, w), net: n, url: w.Stack.Env()["ONION_URL"]}
	require.True(t, strings.HasSuffix(m.url, ".onion"), m.url)
	t.Run("the mirror serves the same", m.servesTheSame)
	t.Run("visitors are told apart by circuit", m.distinguishesVisitors)
	t.Run("a webhook reaches an onion service", m.deliversToAnOnion)
	t.Run("the proxy is away", m.losesItsProxy)
}

func (m *mirror) servesTheSame(t *testing.T) {
	c := m.charge(t, "0.1")
	ann := visitor(t, m.net, "ann")
	for _, path := range []string{"/api/charges/" + c.ID + "/public", "/api/nothing?x=%20", "/api/charges", "/livez"} {
		got := sameOnBoth(t, ann, m.testbed.url, m.url, path)
		require.Equal(t, m.url+path, got.header.Get("Onion-Location"))
	}
	page := reach(t, ann, http.MethodGet, m.url+"/pay/"+c.ID, "")
	require.Equal(t, http.StatusOK, page.status)
	require.Contains(t, page.body, c.Subaddress)

	through := *m.Merchant
	through.BaseURL, through.HTTP = m.url, ann
	eventually(t, "the merchant's own charge over Tor", func(ctx context.Context) error {
		same, err := through.Charge(ctx, c.ID)
		if err == nil && same.Subaddress != c.Subaddress {
			t.Errorf("another charge: %+v", same)
		}
		return err
	})
}

// distinguishesVisitors blocks a visitor for wrong passwords. Other visitors have
// circuits of their own, so they are not blocked. If the visitor's circuit ends
// earlier, it takes more tries.
func (m *mirror) distinguishesVisitors(t *testing.T) {
	n := 0
	logIn := func(who *http.Client, base string) int {
		n++
		body := fmt.Sprintf(`{"email":"nobody-%d-%s@shop.example","password":"wrong horse battery"}`, n, m.Account.Merchant.MerchantID)
		return reach(t, who, http.MethodPost, base+"/api/auth/login", body).status
	}
	mallory := visitor(t, m.net, "mallory")
	for logIn(mallory, m.url) != http.StatusForbidden {
		require.Less(t, n, 200, "the circuit is not blocked")
	}
	require.Greater(t, n, 20)
	require.Equal(t, http.StatusUnauthorized, logIn(visitor(t, m.net, "bob"), m.url), "another circuit")
	require.NotEqual(t, http.StatusForbidden, logIn(http.DefaultClient, m.testbed.url), "clearnet")
}

func (m *mirror) deliversToAnOnion(t *testing.T) {
	hooks, err := fixture.StartReceiver()
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			_ = hooks.Close()
		}
	})
	m.hooks = hooks
	address := strings.TrimPrefix(hooks.URL(""), "http://")
	m.host, err = m.net.Publish(within(t), address)
	require.NoError(t, err)
	_, err = m.CreateWebhook(within(t), "http://"+m.host+"/", "charge.created")
	require.Equal(t, http.StatusBadRequest, clients.Status(err), "an onion host needs use_tor")
	m.hook, err = m.Subscribe(within(t), clients.NewWebhook{URL: "http://" + m.host + "/onion", Events: []string{"charge.created"}, UseTor: true})
	require.NoError(t, err)
	_, port, _ := strings.Cut(address, ":")
	_, err = m.CreateWebhook(within(t), "http://localhost:"+port+"/direct", "charge.created")
	require.NoError(t, err)

	c := m.charge(t, "0.1")
	m.awaitOnion(t, c.ID)
	_, err = hooks.Await(within(t), fixture.ArrivedAt("/direct"))
	require.NoError(t, err)
	requireNeverResolved(t, m.testbed.Stack.Env()["WORKER_LOG"], "localhost", m.host)
}

// awaitOnion waits until the onion service has the event of a new charge, and
// has it sent again when all attempts were lost on the way.
func (m *mirror) awaitOnion(t *testing.T, id string) {
	t.Helper()
	eventually(t, "the delivery to the onion service", func(ctx context.Context) error {
		d, err := m.deliveryOf(ctx, m.hook.ID, id)
		if err != nil {
			return err
		}
		if d.Status == "failed" {
			return errors.Join(errors.New("failed"), m.Redeliver(ctx, d.ID))
		}
		if d.Status != "delivered" {
			return errors.New("it is " + d.Status)
		}
		return nil
	})
	got, err := m.hooks.Await(within(t), fixture.AllOf(fixture.ArrivedAt("/onion"), fixture.EventOf("charge.created", id)))
	require.NoError(t, err)
	require.True(t, got.Signed(m.hook.Secret))
}

func (m *mirror) losesItsProxy(t *testing.T) {
	t.Cleanup(func() { _ = m.hooks.Close() })
	require.NoError(t, m.testbed.Stack.Kill("tor"))
	c := m.charge(t, "0.1")
	eventually(t, "the delivery has failed", func(ctx context.Context) error {
		d, err := m.deliveryOf(ctx, m.hook.ID, c.ID)
		if err != nil {
			return err
		}
		if d.Status == "pending" {
			return errors.New("pending")
		}
		require.Equal(t, "failed", d.Status)
		require.Equal(t, 3, d.Attempts)
		require.NotNil(t, d.Error)
		require.Equal(t, "the proxy does not answer", *d.Error)
		return nil
	})
	m.awaitProxy(t, "failing")
	m.await(t, "charge.created", c.ID) // the direct webhook is not held up
	require.NoError(t, m.testbed.Stack.StartPart(within(t), "tor"))
	m.awaitOnion(t, c.ID)
	m.awaitProxy(t, "ok")
}

// awaitProxy waits for what the service says of its proxy while it is ready.
func (m *mirror) awaitProxy(t *testing.T, state string) {
	t.Helper()
	eventually(t, "the proxy is "+state, func(ctx context.Context) error {
		got, err := ask(ctx, http.DefaultClient, http.MethodGet, m.testbed.url+"/readyz", "")
		if err != nil {
			return err
		}
		var body struct {
			Parts map[string]string `json:"parts"`
		}
		require.NoError(t, json.Unmarshal([]byte(got.body), &body))
		// Something else may have been too slow for the moment.
		if got.status != http.StatusOK || body.Parts["proxy"] != state {
			return errors.New(got.body)
		}
		return nil
	})
}
