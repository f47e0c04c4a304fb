package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// publicCharge is the part of a charge's public view that a payer needs.
type publicCharge struct {
	Subaddress    string         `json:"subaddress"`
	Status        string         `json:"status"`
	AmountDueXMR  money.Piconero `json:"amount_due_xmr"`
	Confirmations int            `json:"confirmations"`
	Required      int            `json:"confirmations_required"`
	Error         string         `json:"error"`
}

// PayCharge pays what a charge is due from the customer's wallet, mines the blocks that it needs,
// and returns when the charge is confirmed. A charge that is paid already is not paid again. say
// gets a sentence for each step.
func (s *Stack) PayCharge(ctx context.Context, id string, say func(format string, args ...any)) error {
	for _, name := range []string{"merchant-api", "monerod", "wallet-customer"} {
		if _, err := s.running(name); err != nil {
			return fmt.Errorf("%w; `make up` starts the stack", err)
		}
	}
	c, err := s.publicCharge(ctx, id)
	if err != nil {
		return err
	}
	if c.AmountDueXMR > 0 {
		if err := s.payFrom(ctx, c, say); err != nil {
			return err
		}
	}
	seen := func(c publicCharge) bool { return c.AmountDueXMR == 0 }
	if c, err = s.awaitCharge(ctx, id, seen); err != nil {
		return err
	}
	if missing := c.Required - c.Confirmations; c.Status != confirmedCharge && missing > 0 {
		say("The payment is seen. Mining %d blocks.", missing)
		if err := Mine(ctx, s.url("monerod"), s.walletAddress("customer"), missing); err != nil {
			return err
		}
	}
	_, err = s.awaitCharge(ctx, id, func(c publicCharge) bool { return c.Status == confirmedCharge })
	if err == nil {
		say("%s is confirmed: %s/pay/%s", id, s.url("merchant"), id)
	}
	return err
}

const confirmedCharge = "confirmed"

// payFrom sends the amount due from the customer's wallet.
func (s *Stack) payFrom(ctx context.Context, c publicCharge, say func(format string, args ...any)) error {
	wallet := s.url("wallet-customer")
	if err := call(ctx, wallet, "refresh", nil, nil); err != nil {
		return err
	}
	var sent struct {
		Hash string `json:"tx_hash"`
	}
	outputs := []map[string]any{{"address": c.Subaddress, "amount": uint64(c.AmountDueXMR)}}
	if err := call(ctx, wallet, "transfer", map[string]any{"destinations": outputs}, &sent); err != nil {
		return fmt.Errorf("the customer's wallet does not pay %s (a simulated charge of the sandbox is paid by its own button): %w", c.Subaddress, err)
	}
	say("Paid %s XMR in transaction %s.", c.AmountDueXMR, sent.Hash)
	return nil
}

// seenEvery is the pause between two reads of a charge.
const seenEvery = 500 * time.Millisecond

// awaitCharge reads a charge until it is as wanted.
func (s *Stack) awaitCharge(ctx context.Context, id string, wanted func(publicCharge) bool) (publicCharge, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultTimeout)
	defer cancel()
	for {
		c, err := s.publicCharge(ctx, id)
		if err != nil || wanted(c) {
			return c, err
		}
		if err := pause(ctx, seenEvery); err != nil {
			return c, fmt.Errorf("%s is %s: %w", id, c.Status, err)
		}
	}
}

func (s *Stack) publicCharge(ctx context.Context, id string) (c publicCharge, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url("merchant")+"/api/charges/"+id+"/public", nil)
	if err != nil {
		return c, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return c, fmt.Errorf("read the charge: %w", err)
	}
	err = errors.Join(json.NewDecoder(resp.Body).Decode(&c), resp.Body.Close())
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", id, c.Error)
	}
	return c, err
}
