package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/providerorder"
	"github.com/durapay/durapay/internal/refusals"
)

// Why an order is not sent again.
var (
	// errAnswerLost says that an order was noted before and that its answer is not
	// known: it is given up now.
	errAnswerLost = errors.New("the answer to the order is lost")
	// errGivenUp says that the order was given up before.
	errGivenUp = errors.New("the order was given up")
)

// providerOrder is one order at a provider, with the rows in which it is kept.
type providerOrder interface {
	// found is nil when something was made of the order, and ErrNotFound when not.
	found(ctx context.Context) error
	// claim notes the order before it is sent; false when it was noted before.
	claim(ctx context.Context) (claimed bool, err error)
	// check refuses what must not be sent though it is noted.
	check(ctx context.Context) error
	// send sends the order, with the errors of provider.Provider.Create.
	send(ctx context.Context) (provider.Swap, error)
	// keep writes the answer, and what is made of it, in one transaction. It refuses
	// when the order was given up meanwhile.
	keep(ctx context.Context, made provider.Swap) error
	// giveUp ends an order that is noted and not placed; false when there is none.
	// Where claim can refuse, it notes that too: an attempt that was presumed dead,
	// and that claims after this, is refused as well.
	giveUp(ctx context.Context, state providerorder.State) (given bool, err error)
	// refusal is what a client is told of an error of send, of errAnswerLost or of
	// errGivenUp.
	refusal(cause error) error
}

// placeOnce notes an order, sends it and keeps the answer. It sends it once,
// however often it runs: a run that finds the note without an answer gives the
// order up, and so does a first run that comes back after that. Then nobody pays
// what the provider may hold, since its address is kept nowhere. nil says that
// something was made of the order, by this run or an earlier one. A refusal says
// that nothing was and nothing will be. After a fault it is to be run again.
func placeOnce(ctx context.Context, o providerOrder) error {
	claimed, err := o.claim(ctx)
	if err != nil || !claimed {
		return endOrder(ctx, o, providerorder.OutcomeUnknown, err)
	}
	if err := o.check(ctx); err != nil {
		return endOrder(ctx, o, providerorder.Refused, err)
	}
	made, err := o.send(ctx)
	if err != nil {
		return endOrder(ctx, o, providerorder.StateAfter(err), o.refusal(err))
	}
	if err := o.keep(ctx, made); err != nil {
		return endOrder(ctx, o, providerorder.OutcomeUnknown, err)
	}
	return nil
}

// endOrder gives an order up and says why. Without a reason it was noted before.
// A fault ends nothing.
func endOrder(ctx context.Context, o providerOrder, state providerorder.State, reason error) error {
	if _, refused := refusals.Of(reason); reason != nil && !refused {
		return reason
	}
	given, err := o.giveUp(ctx, state)
	if err != nil {
		return err
	}
	if err := o.found(ctx); !postgres.IsNotFound(err) {
		return err
	}
	switch {
	case reason != nil:
		return reason
	case given:
		return o.refusal(errAnswerLost)
	default:
		return o.refusal(errGivenUp)
	}
}

// placedOrder is an order at a provider that is followed.
type placedOrder interface {
	// hear writes what follows from an answer.
	hear(ctx context.Context, said provider.Swap) error
	// silent notes that the provider did not answer, and says whether that is an
	// error.
	silent(ctx context.Context, cause error) error
}

// pollOnce asks a provider once where an order stands. One that does not know the
// order says nothing that is understood; one that is not configured any more does
// not answer.
func pollOnce(ctx context.Context, find func(name string) (provider.Provider, bool), name, idProvider string, o placedOrder) error {
	p, known := find(name)
	if !known {
		return o.silent(ctx, fmt.Errorf("provider %s is not configured: %w", name, provider.ErrUnavailable))
	}
	said, err := p.Status(ctx, idProvider)
	if errors.Is(err, provider.ErrUnknownSwap) {
		said, err = provider.Swap{State: provider.Unknown, Word: "no such swap"}, nil
	}
	if err != nil {
		return o.silent(ctx, err)
	}
	return o.hear(ctx, said.Usable())
}

// alertUnclear tells operators what is unclear about an order, or that nothing is
// any more.
func alertUnclear(ctx context.Context, q *db.Queries, kind, subject, unclear string) error {
	if unclear == "" {
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: kind, Subject: subject})
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{Kind: kind, Subject: subject, Detail: unclear})
}
