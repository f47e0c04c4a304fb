package monero

import (
	"context"
	"fmt"
)

// Refusal is the reason why a daemon refused a transaction. It is itself an
// error and unwraps to ErrRefused.
type Refusal string

// The reasons are stable texts that may be stored and shown.
const (
	RefusedDoubleSpend   Refusal = "double spend"
	RefusedFeeTooLow     Refusal = "fee too low"
	RefusedInvalidInput  Refusal = "invalid input"
	RefusedInvalidOutput Refusal = "invalid output"
	RefusedTooBig        Refusal = "too big"
	RefusedOverspend     Refusal = "overspend"
	RefusedRules         Refusal = "against the rules of the network"
	// RefusedOther is a refusal for a reason that is not in this list.
	RefusedOther Refusal = "no reason given"
)

// Error returns the reason.
func (r Refusal) Error() string { return string(r) }

// Unwrap makes every reason an ErrRefused.
func (r Refusal) Unwrap() error { return ErrRefused }

type relayResult struct {
	daemonStatus
	DoubleSpend   bool `json:"double_spend"`
	FeeTooLow     bool `json:"fee_too_low"`
	InvalidInput  bool `json:"invalid_input"`
	InvalidOutput bool `json:"invalid_output"`
	TooBig        bool `json:"too_big"`
	Overspend     bool `json:"overspend"`
	LowMixin      bool `json:"low_mixin"`
	TooFewOutputs bool `json:"too_few_outputs"`
	ExtraTooBig   bool `json:"tx_extra_too_big"`
	NonzeroUnlock bool `json:"nonzero_unlock_time"`
	Insane        bool `json:"sanity_check_failed"`
}

func (r relayResult) refusal() Refusal {
	for _, flag := range []struct {
		set    bool
		reason Refusal
	}{
		{r.DoubleSpend, RefusedDoubleSpend}, {r.FeeTooLow, RefusedFeeTooLow}, {r.TooBig, RefusedTooBig}, {r.Overspend, RefusedOverspend},
		{r.InvalidInput, RefusedInvalidInput}, {r.InvalidOutput, RefusedInvalidOutput},
		{r.LowMixin || r.TooFewOutputs || r.ExtraTooBig || r.NonzeroUnlock || r.Insane, RefusedRules},
	} {
		if flag.set {
			return flag.reason
		}
	}
	return RefusedOther
}

// Relay hands a signed transaction (hex) to the network. It is harmless to do
// that again while the transaction is in the pool or mined.
//
// If the daemon refuses the transaction, Relay returns ErrRefused with a
// Refusal as the reason. The transaction is then not in this daemon's pool but
// may be in another daemon's, so ask for its key images before giving it up.
// ErrUnavailable means that the daemon did not answer: it may have relayed the
// transaction.
func (d *Daemon) Relay(ctx context.Context, blobHex string) error {
	if err := d.admit(ctx); err != nil {
		return err
	}
	var out relayResult
	k := call{Method: "send_raw_transaction", Params: map[string]any{"tx_as_hex": blobHex}}
	if err := d.client.path(ctx, k, &out); err != nil {
		return err
	}
	if out.Status == "Failed" {
		return fmt.Errorf("monero: %s: %w", k.Method, out.refusal())
	}
	return d.checkStatus(k, out)
}
