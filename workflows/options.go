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
	// WebhookQueue runs delivery attempts, thousands at a time. A receiver that hangs holds
	// one slot, and no other delivery waits for it.
	WebhookQueue = "webhooks"
	// ExchangeQueue runs the workflows of the swap exchange and their short
	// activities.
	ExchangeQueue = "exchange"
	// OutsideQueue calls external servers for merchants: the mail server, swap providers,
	// the source of the sanctions list. A server that hangs holds a slot here, and none that
	// payments need.
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

// maxOutage is how long local activities wait for the database. Without it the SDK limits
// all attempts together to StartToCloseTimeout. A few seconds without the database would
// then fail every run that needs it.
const maxOutage = 365 * 24 * time.Hour

// databaseContext is for local activities that are one short transaction. They
// are retried until the database is back.
func databaseContext(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    10 * time.Second,
		ScheduleToCloseTimeout: maxOutage,
		RetryPolicy: &temporal.RetryPolicy{
			// The SDK turns a pause longer than a workflow task (10 s) into a timer. A shorter
			// pause keeps a slot of the worker, so a few failing runs would stop all other runs.
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 15 * time.Second,
		},
	})
}

// createContext is for creating something that a client waits for. It gives up on purpose
// while the client may still be there. An attempt may have written before it failed, so
// the run then looks.
func createContext(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 20 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 50 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Second,
		},
	})
}

// TurnOf returns the priority of a merchant's work, for queues where more work waits than
// workers have slots. Merchants then take turns, no matter how much work one of them has.
// Temporal needs matching.enableFairness for this.
func TurnOf(merchantID string) temporal.Priority { return temporal.Priority{FairnessKey: merchantID} }

// merchantOf returns the merchant of the run; empty if the run belongs to no merchant.
func merchantOf(ctx workflow.Context) string {
	merchantID, _ := workflow.GetTypedSearchAttributes(ctx).GetKeyword(MerchantIDKey)
	return merchantID
}

// attemptContext is for one delivery attempt. A missing heartbeat shows that the worker
// died during the attempt, and Temporal then repeats it. Heartbeats are rare because each
// is a write to Temporal, and hundreds of attempts may hang for 30 seconds.
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

// mailContext is for handing a mail to a server that may be away for hours. Temporal
// retries until the link in the mail has expired.
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

// buildContext is for building a transaction. A wallet does one thing at a time, so a
// build takes seconds to minutes. It may be given up, because nothing has moved before
// the bytes are stored.
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

// claimContext is buildContext with few attempts, for a payout that pays a claim. While
// that payout has no bytes, the merchant can make no other payout. The refund retries by
// itself.
func claimContext(ctx workflow.Context, walletID string) workflow.Context {
	ctx = buildContext(ctx, walletID)
	policy := *workflow.GetActivityOptions(ctx).RetryPolicy
	policy.MaximumAttempts = claimAttempts
	return workflow.WithRetryPolicy(ctx, policy)
}

// claimAttempts last a quarter of a minute if a wallet does not answer at all.
const claimAttempts = 6

// pruneContext is for many short transactions in a row. If a worker dies, another worker
// continues within half a minute. Temporal retries until the database is back.
func pruneContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute,
		},
	})
}

// relayContext is for handing stored bytes to the daemon. Temporal retries until the
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

// operatorContext is for a request that an operator waits for. It gives up while the
// operator may still be there.
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

// sendContext is for building and relaying a payment of the exchange. Temporal retries
// until it is done, because a wallet whose money is locked can pay later.
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

// orderContext is for an order at another provider, on one of the queues for external
// calls. The order is sent once. A run after a fault finds out whether it was sent, and
// then gives it up.
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

// followContext is for asking a provider for the state of an order. Temporal retries with
// growing pauses until the provider answers.
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

// pollContext is for asking a provider once for the state of a swap. No answer counts as
// an answer too. Only our own faults are retried.
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
		StartToCloseTimeout: 24 * time.Hour, // a wallet that rescans the chain takes hours
		HeartbeatTimeout:    5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 1, MaximumInterval: time.Second,
		},
	})
}

// now returns the workflow's clock in UTC, in milliseconds, as the contract has times.
func now(ctx workflow.Context) time.Time {
	return workflow.Now(ctx).UTC().Truncate(time.Millisecond)
}

// finishUpdates waits until the running update handlers have returned, so that the end of
// the run interrupts none.
func finishUpdates(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// Unasked is how long a run waits for the update that it was started with. Temporal
// delivers both in one step, but an update can be lost with the processes that carry it
// until its handler has begun.
const Unasked = time.Minute

// awaitNews returns when its condition is true or the timeout has passed, for a run that
// has no requests.
func awaitNews(ctx workflow.Context, news func() bool, timeout time.Duration) error {
	return new(requests).awaitNews(ctx, news, timeout)
}

// Search attributes by which operators find executions in the Temporal UI.
// They are registered by deploy (see docs/operations.md).
//
//nolint:gochecknoglobals // typed keys are constants that Go cannot spell as such
var (
	MerchantIDKey     = temporal.NewSearchAttributeKeyKeyword("MerchantId")
	ChargeStatusKey   = temporal.NewSearchAttributeKeyKeyword("ChargeStatus")
	AmountXMRKey      = temporal.NewSearchAttributeKeyKeyword("AmountXmr")
	SandboxKey        = temporal.NewSearchAttributeKeyBool("Sandbox")
	StuckKey          = temporal.NewSearchAttributeKeyBool("Stuck")
	PayoutStatusKey   = temporal.NewSearchAttributeKeyKeyword("PayoutStatus")
	DeliveryStatusKey = temporal.NewSearchAttributeKeyKeyword("DeliveryStatus")
	TradeStatusKey    = temporal.NewSearchAttributeKeyKeyword("TradeStatus")
	SwapStatusKey     = temporal.NewSearchAttributeKeyKeyword("SwapStatus")
	WalletIDKey       = temporal.NewSearchAttributeKeyKeyword("WalletId")
)
