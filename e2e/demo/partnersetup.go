package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/partner"
	"github.com/durapay/durapay/e2e/receiver"
	"github.com/durapay/durapay/e2e/regtest"
)

// partnerSetup is a partner of the exchange: a key, a receiver of webhooks that
// speaks https, and a customer with a Litecoin wallet.
type partnerSetup struct {
	partner partner.Client
	hooks   *receiver.Receiver
	coins   *regtest.Litecoin
}

func openPartner(ctx context.Context, env environment) (*partnerSetup, error) {
	o := &partnerSetup{partner: partner.Client{URL: env["SWAP_URL"]}}
	var err error
	if o.hooks, err = receiver.StartTLS(env["RECEIVER_CERT_FILE"], env["RECEIVER_KEY_FILE"]); err != nil {
		return nil, err
	}
	o.coins, err = regtest.NewLitecoin(ctx, env["LITECOIN_RPC_URL"])
	return o, err
}

func (o *partnerSetup) close() error {
	if o == nil {
		return nil
	}
	if o.coins != nil {
		o.coins.Close()
	}
	return o.hooks.Close()
}

// issueKey has the operator's command make the partner's key.
func (d *demo) issueKey(ctx context.Context) error {
	running, err := stack.Open(stack.Options{Dir: ".dev", Env: stack.CallerEnv()})
	if err != nil {
		return err
	}
	printed, err := running.Durapay(ctx, "admin", "swap-key", "create", "--class", "partner")
	if err != nil {
		return err
	}
	key := &d.partnerSetup.partner.Key
	if err := json.Unmarshal(printed, key); err != nil {
		return fmt.Errorf("what the command printed: %w", err)
	}
	if key.Key == "" || key.Secret == "" {
		return errors.New("the command printed no key")
	}
	sayf("durapay admin swap-key create --class partner: key %s…, and a secret for signatures", key.Key[:12])
	return nil
}
