package charges

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
)

// Sandbox answers requests of the sandbox.
type Sandbox struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
	// Simulated is set if new charges of the sandbox are simulated.
	Simulated bool
}

// MostConfirmations is the maximum number of blocks in one request.
const MostConfirmations = 720

type simulatedPayment struct {
	AmountXMR     *money.Piconero `json:"amount_xmr,omitempty" doc:"How much is paid, in XMR; what is missing where neither this nor part is given"`
	Part          *money.Decimal  `json:"part,omitempty" doc:"How much is paid, as a part of the charge's amount: 0.5 is half of it, rounded down; excludes amount_xmr"`
	Confirmations *int32          `json:"confirmations,omitempty" minimum:"0" maximum:"720" doc:"How deep it is at once; 0, in the pool, by default"`
}

type simulatedBlocks struct {
	Confirmations *int32 `json:"confirmations,omitempty" minimum:"1" maximum:"720" doc:"How many blocks; as many as the charge still needs by default"`
}

type simulatedReorganization struct {
	Drop bool `json:"drop,omitempty" doc:"Whether the payments are dropped from the pool, too"`
}

// Register registers the operations.
func (h *Sandbox) Register(api operation.API) {
	create := func(id, path string) operation.Route {
		return operation.Route{ID: id, At: "POST /api/test/charges/{id}/" + path, Permission: permission.CreateInvoice, Limit: access.Create}
	}
	operation.WithKey(api, create("sandboxPay", "pay"), h.pay)
	operation.WithKey(api, create("sandboxConfirm", "confirm"), h.confirm)
	operation.WithKey(api, create("sandboxReorg", "reorg"), h.reorg)
	operation.WithKey(api, create("sandboxExpire", "expire"), h.expire)
	operation.WithKey(api, operation.Route{ID: "sandboxRetry", At: "POST /api/test/charges/{id}/retry-deliveries", Permission: permission.ModifyWebhooks, Knocks: true}, h.retryDeliveries)
	operation.WithKey(api, operation.Route{ID: "sandboxTrigger", At: "POST /api/test/webhooks/trigger", Permission: permission.CreateInvoice, Limit: access.Create, Knocks: true}, h.trigger)
}

func (h *Sandbox) pay(ctx context.Context, caller access.Key, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[simulatedPayment]
}) (*httpapi.Out[charge.View], error) {
	fields := in.Body.Value()
	found, err := h.simulated(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	amount, err := amountOf(fields, found)
	if err != nil {
		return nil, err
	}
	deep, err := within("confirmations", fields.Confirmations, 0, 0)
	if err != nil {
		return nil, err
	}
	return h.after(ctx, found, h.Store.SimulatePayment(ctx, in.ID, amount, deep, h.Clock()))
}

func amountOf(p simulatedPayment, c postgres.ChargeFacts) (money.Piconero, error) {
	var amount money.Piconero
	switch {
	case p.AmountXMR != nil && p.Part != nil:
		return 0, httpapi.BadRequest("amount_xmr and part exclude each other")
	case p.AmountXMR != nil:
		amount = *p.AmountXMR
	case p.Part != nil:
		whole, err := money.PiconeroFromXMR(c.Charge.AmountXMR.Decimal().Mul(*p.Part).Floor(12))
		if err != nil {
			return 0, httpapi.BadRequest("part must be more than 0, and not more than anybody has")
		}
		amount = whole
	default:
		amount = charge.ViewOf(c.Charge, c.Facts, "").AmountDueXMR
		if amount == 0 {
			return 0, httpapi.BadRequest("nothing is missing: say how much is paid")
		}
	}
	if amount == 0 {
		return 0, httpapi.BadRequest("a payment must be more than 0")
	}
	return amount, nil
}

func within(name string, n *int32, missing, least int32) (int32, error) {
	if n == nil {
		return missing, nil
	}
	if *n < least || *n > MostConfirmations {
		return 0, httpapi.BadRequest("%s must be a whole number from %d to %d", name, least, MostConfirmations)
	}
	return *n, nil
}

func (h *Sandbox) confirm(ctx context.Context, caller access.Key, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[simulatedBlocks]
}) (*httpapi.Out[charge.View], error) {
	fields := in.Body.Value()
	found, err := h.simulated(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	missing := max(1, found.Charge.ConfirmationsRequired-charge.Confirmations(found.Charge, found.Facts))
	n, err := within("confirmations", fields.Confirmations, missing, 1)
	if err != nil {
		return nil, err
	}
	return h.after(ctx, found, h.Store.SimulateBlocks(ctx, in.ID, n))
}

func (h *Sandbox) reorg(ctx context.Context, caller access.Key, in *struct {
	ID   string `path:"id" doc:"Charge identifier" pattern:"^ch_[0-9a-f]{24}$" example:"ch_0123456789abcdef01234567"`
	Body httpapi.Body[simulatedReorganization]
}) (*httpapi.Out[charge.View], error) {
	fields := in.Body.Value()
	found, err := h.simulated(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	return h.after(ctx, found, h.Store.SimulateReorganization(ctx, in.ID, fields.Drop))
}

func (h *Sandbox) expire(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[charge.View], error) {
	found, err := h.simulated(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	if found.Charge.Status == charge.Confirmed {
		return nil, conflict("the charge is confirmed: it does not expire")
	}
	return h.after(ctx, found, h.Store.SimulateExpiry(ctx, in.ID, h.Clock()))
}

// simulated returns a simulated charge of the caller. It returns 409 for a charge on a wallet.
func (h *Sandbox) simulated(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	found, err := h.own(ctx, caller, id)
	if err == nil && !charge.IsSimulated(found.Charge.WalletID) {
		err = onWallet()
	}
	return found, err
}

func (h *Sandbox) own(ctx context.Context, caller access.Key, id string) (postgres.ChargeFacts, error) {
	if caller.Mode != config.Sandbox {
		return postgres.ChargeFacts{}, httpapi.Forbidden("this is for keys of the sandbox")
	}
	return ownCharge(ctx, h.Store, caller, id, h.Clock())
}

// An answer waits for the effect of its request for at most longestWait, and checks for it every
// lookEvery.
const (
	longestWait = 5 * time.Second
	lookEvery   = 50 * time.Millisecond
)

// after answers with the charge once the watcher has processed the change and the charge's run
// has followed. After longestWait it answers with the charge in its current state.
func (h *Sandbox) after(ctx context.Context, before postgres.ChargeFacts, err error) (*httpapi.Out[charge.View], error) {
	switch {
	case errors.Is(err, charge.ErrSimulatedPayments):
		return nil, conflict(charge.ErrSimulatedPayments.Error())
	case errors.Is(err, charge.ErrReorganizations):
		return nil, conflict(charge.ErrReorganizations.Error())
	case err != nil:
		return nil, err
	}
	now := before
	err = wait(ctx, func() (bool, error) {
		scanned, err := h.Store.SimulatedChainIsScanned(ctx, before.Charge.ID)
		if err == nil {
			now, err = service.Charge(ctx, h.Store, before.Charge.ID, h.Clock())
		}
		_, open := charge.Advance(now.Charge, now.Facts, charge.Rules{})
		return scanned && len(open) == 0, err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.With(charge.ViewOf(now.Charge, now.Facts, h.PublicURL), nil)
}

// wait checks so until it is true, for at most longestWait. It returns nil in both cases.
func wait(ctx context.Context, so func() (bool, error)) error {
	end := time.After(longestWait)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		is, err := so()
		if err != nil || is {
			return err
		}
		select {
		case <-look.C:
		case <-end:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
