package sending

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
)

// Reasons why an order is not sent a second time.
var (
	// errAnswerLost means that an order was recorded before and its answer is unknown: it is
	// given up now.
	errAnswerLost = errors.New("the answer to the order is lost")
	// ErrGivenUp means that the order was given up before.
	ErrGivenUp = errors.New("the order was given up")
)

// Order is one order at a provider, with the rows in which it is kept.
type Order interface {
	// Found returns nil if a swap or trade was made from the order, and ErrNotFound if not.
	Found(ctx context.Context) error
	// Claim records the order before it is sent; it returns false if the order was recorded
	// before.
	Claim(ctx context.Context) (claimed bool, err error)
	// Check refuses an order that must not be sent although it is recorded.
	Check(ctx context.Context) error
	// Send sends the order, with the errors of provider.Provider.Create.
	Send(ctx context.Context) (provider.Swap, error)
	// Keep writes the answer, and the swap or trade that is made from it, in one
	// transaction. It refuses if the order was given up meanwhile.
	Keep(ctx context.Context, made provider.Swap) error
	// GiveUp ends an order that is recorded and not placed; it returns false if there is
	// none. If Claim can refuse, GiveUp records that too, so that an attempt that was
	// presumed dead and claims later is refused as well.
	GiveUp(ctx context.Context, state provider.OrderState) (given bool, err error)
	// Refusal returns the client's error for an error of Send, for errAnswerLost or for
	// ErrGivenUp.
	Refusal(cause error) error
}

// PlaceOnce records an order, sends it and keeps the answer. It sends the order once,
// however often it runs. A run that finds the record without an answer gives the order
// up. So does a first run that comes back after that. Then the provider may hold an order
// that is never paid, because its address is stored nowhere. nil means that this run or
// an earlier one made a swap or trade from the order. A refusal means that none was made
// and none will be. After a fault the caller must run it again.
func PlaceOnce(ctx context.Context, o Order) error {
	claimed, err := o.Claim(ctx)
	if err != nil || !claimed {
		return EndOrder(ctx, o, provider.OutcomeUnknown, err)
	}
	if err := o.Check(ctx); err != nil {
		return EndOrder(ctx, o, provider.Refused, err)
	}
	made, err := o.Send(ctx)
	if err != nil {
		return EndOrder(ctx, o, provider.OrderStateAfter(err), o.Refusal(err))
	}
	if err := o.Keep(ctx, made); err != nil {
		return EndOrder(ctx, o, provider.OutcomeUnknown, err)
	}
	return nil
}

// EndOrder gives an order up and returns the reason. Without a reason, the order was
// recorded before. A fault ends nothing.
func EndOrder(ctx context.Context, o Order, state provider.OrderState, reason error) error {
	if _, refused := refusals.Of(reason); reason != nil && !refused {
		return reason
	}
	given, err := o.GiveUp(ctx, state)
	if err != nil {
		return err
	}
	if err := o.Found(ctx); !postgres.IsNotFound(err) {
		return err
	}
	switch {
	case reason != nil:
		return reason
	case given:
		return o.Refusal(errAnswerLost)
	default:
		return o.Refusal(ErrGivenUp)
	}
}

// Placed is a placed order at a provider.
type Placed interface {
	// Answered writes the consequences of an answer.
	Answered(ctx context.Context, said provider.Swap) error
	// Silent records that the provider did not answer, and returns an error if that counts
	// as one.
	Silent(ctx context.Context, cause error) error
}

// PollOnce asks a provider once for the state of an order. If the provider does not know
// the order, the state is unknown. If it is not configured any more, it counts as one
// that does not answer.
func PollOnce(ctx context.Context, find func(name string) (provider.Provider, bool), name, idProvider string, o Placed) error {
	p, known := find(name)
	if !known {
		return o.Silent(ctx, fmt.Errorf("provider %s is not configured: %w", name, provider.ErrUnavailable))
	}
	said, err := p.Status(ctx, idProvider)
	if errors.Is(err, provider.ErrUnknownSwap) {
		said, err = provider.Swap{State: provider.Unknown, Word: "no such swap"}, nil
	}
	if err != nil {
		return o.Silent(ctx, err)
	}
	return o.Answered(ctx, said.Usable())
}

// Audit records what an operator did, in the transaction of the change.
func Audit(ctx context.Context, q *db.Queries, entry db.RecordAuditParams, detail map[string]any) error {
	text, err := json.Marshal(detail)
	if err != nil {
		return err
	}
	entry.Detail = string(text)
	return q.RecordAudit(ctx, entry)
}

// Alert alerts operators to a subject, or closes the alert if there is no reason for one.
func Alert(ctx context.Context, q *db.Queries, kind, subject, why string) error {
	if why == "" {
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: kind, Subject: subject})
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{Kind: kind, Subject: subject, Detail: why})
}
