package charges

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type triggered struct {
	Type     string `json:"type" doc:"Name of the event" example:"charge.confirmed"`
	ChargeID string `json:"charge_id" doc:"The charge that it tells of" example:"ch_0123456789abcdef01234567"`
}

type wantedEvent struct {
	Type string `json:"type" enum:"charge.created,charge.pending,charge.confirmed,charge.late_confirmed,charge.expired" doc:"Name of the event" example:"charge.confirmed"`
}

// triggers returns the events that a client can trigger.
func triggers() []string {
	return []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed, charge.EventLateConfirmed, charge.EventExpired}
}

func (h *Sandbox) trigger(ctx context.Context, caller access.Key, in *struct{ Body httpapi.Body[wantedEvent] }) (*httpapi.Out[triggered], error) {
	fields := in.Body.Value()
	if caller.Mode != config.Sandbox {
		return nil, httpapi.Forbidden("this is for keys of the sandbox")
	}
	if _, err := httpapi.OneOf("type", fields.Type, triggers()); err != nil {
		return nil, err
	}
	if !h.Simulated {
		return nil, onWallet()
	}
	id, description := secret.NewID("ch_"), fields.Type
	made, err := h.Start.CreateCharge(ctx, chargestore.New{
		ChargeID: id, MerchantID: caller.MerchantID, Mode: caller.Mode, Source: charge.FromAPI,
		Amount: money.MustDecimal("0.01"), Currency: money.XMR, Metadata: "{}", Description: &description,
	})
	if err != nil {
		return nil, err
	}
	return httpapi.With(triggered{fields.Type, id}, h.bringAbout(ctx, made, fields.Type))
}

// bringAbout makes the changes that lead to an event of a new charge.
func (h *Sandbox) bringAbout(ctx context.Context, c charge.Charge, event string) error {
	now := h.Clock()
	if event == charge.EventExpired || event == charge.EventLateConfirmed {
		if err := h.Store.SimulateExpiry(ctx, c.ID, now); err != nil {
			return err
		}
	}
	if event == charge.EventLateConfirmed { // a payment that arrives before the charge has expired would not be late
		err := wait(ctx, func() (bool, error) {
			found, err := h.Store.Charge(ctx, c.ID, h.Clock())
			return found.Charge.Status == charge.Expired, err
		})
		if err != nil {
			return err
		}
	}
	switch event {
	case charge.EventPending:
		return h.Store.SimulatePayment(ctx, c.ID, c.AmountXMR, 0, now)
	case charge.EventConfirmed, charge.EventLateConfirmed:
		return h.Store.SimulatePayment(ctx, c.ID, c.AmountXMR, c.ConfirmationsRequired, now)
	default:
		return nil
	}
}

// onWallet refuses an operation that needs a simulated charge (409).
func onWallet() error {
	return conflict("the charge is paid on the chain of a wallet: send its amount with a wallet of that test network")
}

// conflict refuses an operation that the charge's current state does not allow (409).
func conflict(text string) error { return &httpapi.Problem{Text: text, Status: http.StatusConflict} }

type retried struct {
	Deliveries []string `json:"deliveries" doc:"Identifiers of the deliveries that are attempted now; empty where none waits"`
}

// retryDeliveries makes waiting deliveries due.
func (h *Sandbox) retryDeliveries(ctx context.Context, caller access.Key, in *chargeInput) (*httpapi.Out[retried], error) {
	if _, err := h.own(ctx, caller, in.ID); err != nil {
		return nil, err
	}
	var due []string
	err := access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) (err error) {
		due, err = chargestore.RetryNow(ctx, q, caller.MerchantID, in.ID, h.Clock())
		return err
	})
	return httpapi.With(retried{due}, err)
}
