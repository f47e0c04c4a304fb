package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/internal/account"
)

// Task queues.
const (
	// MerchantQueue runs the workflows of merchants and their short activities.
	MerchantQueue = "merchant"
	// WebhookQueue runs attempts to deliver, thousands at a time. A receiver
	// that hangs holds one place, and no other delivery waits for it.
	WebhookQueue = "webhooks"
	// ExchangeQueue runs the workflows of the swap exchange and their short
	// activities.
	ExchangeQueue = "exchange"
	// OutsideQueue calls servers of others for merchants: the mail server, swap
	// providers, the source of the sanctions list. One that hangs holds a place here,
	// and none that payments need.
	OutsideQueue = "outside"
	// ExchangeOutsideQueue calls providers for the swap exchange.
	ExchangeOutsideQueue = "exchange-outside"
)

// SendQueue is the queue of an exchange wallet's payments: one slot.
func SendQueue(walletID string) string { return "send-" + walletID }

// PayoutQueue is the queue of a wallet's spending process: one slot.
func PayoutQueue(walletID string) string { return "payout-" + walletID }

// WatchQueue is the queue on which a wallet is watched and its pool filled.
func WatchQueue(walletID string) string { return "watch-" + walletID }

// maxOutage is how long local activities wait for the database. Without it the
// SDK limits all attempts together to StartToCloseTimeout, so a few seconds
// without the database would fail every run that needs it.
const maxOutage = 365 * 24 * time.Hour

// databaseContext is for local activities that are one short transaction. They
// are retried until the database is back.
func databaseContext(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    10 * time.Second,
		ScheduleToCloseTimeout: maxOutage,
		RetryPolicy: &temporal.RetryPolicy{
			// A pause longer than a workflow task (10 s) is a timer. A shorter one keeps
			// a slot of the worker, so a few runs that fail would stop all others.
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}

// createContext is for the creation of something that a client waits for. It
// gives up on purpose, while the client may still be there. An attempt may have
// written all the same, so the run then looks.
func createContext(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 20 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 50 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Second,
		},
	})
}

// TurnOf is whose turn work is where more of it waits than workers have places for: each
// merchant has one after the other, however much of one waits. Temporal keeps to it with
// matching.enableFairness.
func TurnOf(merchantID string) temporal.Priority { return temporal.Priority{FairnessKey: merchantID} }

// merchantOf is the merchant whose run it is; empty where it is nobody's.
func merchantOf(ctx workflow.Context) string {
	merchantID, _ := workflow.GetTypedSearchAttributes(ctx).GetKeyword(MerchantIDKey)
	return merchantID
}

// attemptContext is for one attempt to deliver. A missing heartbeat shows that
// a worker died in the middle, and the attempt is made again. Heartbeats are
// few: each is a write of Temporal's, and hundreds of attempts may hang for 30
// seconds.
func attemptContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           WebhookQueue,
		Priority:            TurnOf(merchantOf(ctx)),
		StartToCloseTimeout: 45 * time.Second,
		HeartbeatTimeout:    15 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
	})
}

// mailContext is for handing a mail to a server that may be away for hours. It
// is tried until the link in the mail has expired.
func mailContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              OutsideQueue,
		ScheduleToCloseTimeout: account.VerificationLife,
		StartToCloseTimeout:    time.Minute,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 5 * time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Minute,
		},
	})
}

// buildContext is for building a transaction. A wallet does one thing at a
// time, so it takes seconds to minutes. Nothing has moved before the bytes are
// stored, so it may be given up.
func buildContext(ctx workflow.Context, walletID string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              PayoutQueue(walletID),
		ScheduleToCloseTimeout: 15 * time.Minute,
		StartToCloseTimeout:    5 * time.Minute,
		HeartbeatTimeout:       5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
	})
}

// claimContext is buildContext for a payout that pays a claim: while it has no bytes the
// merchant can make no other payout, and the refund tries again by itself.
func claimContext(ctx workflow.Context, walletID string) workflow.Context {
	ctx = buildContext(ctx, walletID)
	policy := *workflow.GetActivityOptions(ctx).RetryPolicy
	policy.MaximumAttempts = claimAttempts
	return workflow.WithRetryPolicy(ctx, policy)
}

// claimAttempts last a quarter of a minute where a wallet does not answer at all.
const claimAttempts = 6

// pruneContext is for many short transactions in a row. Where a worker died,
// another goes on within seconds. It is tried again until the database is
// back.
func pruneContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}

// relayContext is for handing stored bytes to the daemon: repeated until the
// daemon has them or refuses them for good.
func relayContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}

// operatorContext is for what an operator waits for. It gives up while they
// may still be there.
func operatorContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: 2 * time.Minute,
		StartToCloseTimeout:    time.Minute,
		HeartbeatTimeout:       5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
	})
}

// sendContext is for building and relaying a payment of the exchange. It is
// repeated until it is done, because a wallet whose money is locked has it
// later.
func sendContext(ctx workflow.Context, walletID string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           SendQueue(walletID),
		StartToCloseTimeout: 5 * time.Minute,
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
		},
	})
}

// quoteContext is for asking other providers what they would pay, which a
// client waits for.
func quoteContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              ExchangeOutsideQueue,
		ScheduleToCloseTimeout: 20 * time.Second,
		StartToCloseTimeout:    10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Second,
		},
	})
}

// orderContext is for an order at another provider, on one of the queues that call
// outside. The order is sent once. A run after a fault finds out whether it was sent,
// and then gives it up.
func orderContext(ctx workflow.Context, queue string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              queue,
		ScheduleToCloseTimeout: 2 * time.Minute,
		StartToCloseTimeout:    45 * time.Second,
		HeartbeatTimeout:       5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second,
		},
	})
}

// followContext is for asking a provider where an order stands: repeated, with
// longer and longer pauses, until it answers.
func followContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           ExchangeOutsideQueue,
		StartToCloseTimeout: 45 * time.Second,
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 10 * time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Minute,
		},
	})
}

// pollContext is for asking a provider once where a swap stands. No answer is
// an answer too. Only faults of our own are retried.
func pollContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           OutsideQueue,
		StartToCloseTimeout: 45 * time.Second,
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}

// watchContext is for the long activities that watch a wallet.
func watchContext(ctx workflow.Context, walletID string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           WatchQueue(walletID),
		StartToCloseTimeout: 24 * time.Hour, // a wallet that reads the chain anew takes hours
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 1, MaximumInterval: time.Second,
		},
	})
}

// now is the workflow's clock in the resolution of the contract.
func now(ctx workflow.Context) time.Time {
	return workflow.Now(ctx).UTC().Truncate(time.Millisecond)
}

// finishUpdates waits for the updates that have begun, so that none is cut off
// by the end of the run.
func finishUpdates(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// Unasked is for how long a run waits for the update that it was started with.
// Temporal hands both over in one step, but an update can be lost with the
// processes that carried it until it has begun.
const Unasked = time.Minute

// awaitNews returns when there is news or the timeout has passed, for a run that
// has no requests.
func awaitNews(ctx workflow.Context, news func() bool, timeout time.Duration) error {
	return new(requests).awaitNews(ctx, news, timeout)
}
