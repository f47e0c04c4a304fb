package workflows

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/internal/account"
)

// Task queues.
const (
	// MerchantQueue runs the workflows of merchants and of all wallets, and the short activities
	// of merchants.
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

// WatchQueue is the queue on which a chain is watched.
func WatchQueue(chainID string) string { return "watch-" + chainID }

// PoolQueue is the queue on which a wallet's pool is filled.
func PoolQueue(walletID string) string { return "pool-" + walletID }

// limits bound the attempts of one activity. A field that is zero sets no bound.
type limits struct {
	// local is set for local activities, which have no queue and no heartbeat.
	local bool
	queue string
	// whole bounds all attempts together, attempt one of them, and heartbeat the time between two
	// heartbeats.
	whole, attempt, heartbeat time.Duration
	// first is the pause after the first attempt. It grows by a factor, 2 if that is 0, up to
	// longest.
	first, longest time.Duration
	factor         float64
	attempts       int32
	priority       temporal.Priority
}

// maxOutage is how long local activities wait for the database. Without it the SDK limits
// all attempts together to StartToCloseTimeout. A few seconds without the database would
// then fail every run that needs it.
const maxOutage = 365 * 24 * time.Hour

//nolint:gochecknoglobals // a constant table
var (
	// forDatabase is for local activities that are one short transaction. They are retried
	// until the database is back. The SDK turns a pause longer than a workflow task (10 s) into
	// a timer. A shorter pause keeps a slot of the worker, so a few failing runs would stop all
	// other runs.
	forDatabase = limits{local: true, attempt: 10 * time.Second, whole: maxOutage, first: 100 * time.Millisecond, longest: 15 * time.Second}
	// forCreation is for local activities that create something that a client waits for. They
	// give up on purpose while the client may still be there. An attempt may have written
	// before it failed, so the run then looks.
	forCreation = limits{local: true, attempt: 5 * time.Second, whole: 20 * time.Second, first: 50 * time.Millisecond, longest: time.Second}
	// forAttempt is for one delivery attempt. A missing heartbeat shows that the worker died
	// during the attempt, and Temporal then repeats it. Heartbeats are rare because each is a
	// write to Temporal, and hundreds of attempts may hang for 30 seconds.
	forAttempt = limits{
		queue: WebhookQueue, attempt: 45 * time.Second, heartbeat: 15 * time.Second, first: 200 * time.Millisecond, longest: 10 * time.Second,
	}
	// forMail is for handing a mail to a server that may be away for hours. Temporal retries
	// until the link in the mail has expired.
	forMail = limits{
		queue: OutsideQueue, whole: account.VerificationLife, attempt: time.Minute, first: 5 * time.Second, longest: 10 * time.Minute,
	}
	// forBuild is for building a transaction. A wallet does one thing at a time, so a build
	// takes seconds to minutes. It may be given up, because nothing has moved before the bytes
	// are stored.
	forBuild = limits{whole: 15 * time.Minute, attempt: 5 * time.Minute, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: 10 * time.Second}
	// forClaim is forBuild with few attempts, for a payout that pays a claim: they last a
	// quarter of a minute if a wallet does not answer at all. While that payout has no bytes,
	// the merchant can make no other payout. The refund retries by itself.
	forClaim = limits{
		whole: 15 * time.Minute, attempt: 5 * time.Minute, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: 10 * time.Second, attempts: 6,
	}
	// forPruning is for many short transactions in a row. If a worker dies, another worker
	// continues within half a minute. Temporal retries until the database is back.
	forPruning = limits{attempt: 10 * time.Minute, heartbeat: 30 * time.Second, first: time.Second, longest: time.Minute}
	// forRelay is for handing stored bytes to the daemon. Temporal retries until the daemon has
	// them or refuses them for good.
	forRelay = limits{attempt: time.Minute, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: 15 * time.Second}
	// forOperator is for a request that an operator waits for. It gives up while the operator
	// may still be there.
	forOperator = limits{whole: 2 * time.Minute, attempt: time.Minute, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: 10 * time.Second}
	// forPayment is for building and relaying a payment of the exchange. Temporal retries until
	// it is done, because a wallet whose money is locked can pay later.
	forPayment = limits{attempt: 5 * time.Minute, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: 30 * time.Second}
	// forConsolidation has few attempts, because payments of the wallet come first.
	forConsolidation = limits{whole: 20 * time.Minute, attempt: 5 * time.Minute, heartbeat: 5 * time.Second, first: time.Second, longest: time.Minute, attempts: 5}
	// forOrder is for an order at another provider, on one of the queues for external calls.
	// The order is sent once. A run after a fault finds out whether it was sent, and then gives
	// it up.
	forOrder = limits{whole: 2 * time.Minute, attempt: 45 * time.Second, heartbeat: 5 * time.Second, first: 100 * time.Millisecond, longest: 5 * time.Second}
	// forFollowing is for asking a provider for the state of an order. Temporal retries with
	// growing pauses until the provider answers.
	forFollowing = limits{queue: ExchangeOutsideQueue, attempt: 45 * time.Second, heartbeat: 5 * time.Second, first: 10 * time.Second, longest: 10 * time.Minute}
	// forPolling is for asking a provider once for the state of a swap. No answer counts as an
	// answer too. Only our own faults are retried.
	forPolling = limits{queue: OutsideQueue, attempt: 45 * time.Second, heartbeat: 5 * time.Second, first: 500 * time.Millisecond, longest: time.Minute}
	// forWatch is for the long activities that watch a chain or fill a pool: a wallet that
	// rescans the chain takes hours.
	forWatch = limits{attempt: 24 * time.Hour, heartbeat: 5 * time.Second, first: time.Second, longest: time.Second, factor: 1}
	// forSanctions is for reading a remote list of about 100 MB, in a few attempts.
	forSanctions = limits{
		queue: OutsideQueue, attempt: 15 * time.Minute, heartbeat: 30 * time.Second, first: 2 * time.Second, longest: time.Minute, factor: 4, attempts: 3,
	}
)

// at returns the limits on one of several queues.
func (l limits) at(queue string) limits {
	l.queue = queue
	return l
}

// start starts an activity within the limits.
func (l limits) start(ctx workflow.Context, activity any, args ...any) workflow.Future {
	policy := &temporal.RetryPolicy{
		InitialInterval: l.first, BackoffCoefficient: cmp.Or(l.factor, 2), MaximumInterval: l.longest, MaximumAttempts: l.attempts,
	}
	if l.local {
		return workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: l.whole, StartToCloseTimeout: l.attempt, RetryPolicy: policy,
		}), activity, args...)
	}
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: l.queue, ScheduleToCloseTimeout: l.whole, StartToCloseTimeout: l.attempt, HeartbeatTimeout: l.heartbeat, RetryPolicy: policy,
		Priority: l.priority,
	}), activity, args...)
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

// awaitWithTimeout returns when its condition is true or the timeout has passed, for a run
// that has no requests.
func awaitWithTimeout(ctx workflow.Context, ready func() bool, timeout time.Duration) error {
	return new(requests).awaitWithTimeout(ctx, ready, timeout)
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
