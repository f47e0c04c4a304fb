package utxowallet

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/utxo"
)

// usualSize is the virtual size of a payment with three inputs and change, all of
// them segwit. An ordinary payment has fewer inputs.
const usualSize = 11 + 3*68 + 2*34

// Fee estimates the current cost of an ordinary payment.
func (w *Wallet) Fee(ctx context.Context) (uint64, error) {
	rate, err := w.feeRate(ctx)
	return uint64(rate)*usualSize/1000 + 1, err
}

// feeRate returns the daemon's estimate, limited by the minimum of its pool and maxFeeRate.
func (w *Wallet) feeRate(ctx context.Context) (utxo.Amount, error) {
	rate, err := w.client.FeeRate(ctx, feeBlocks)
	if errors.Is(err, utxo.ErrNotFound) {
		rate, err = fallbackFeeRate, nil
	}
	if err != nil {
		return 0, translated(err)
	}
	least, err := w.client.MinFeeRate(ctx)
	if err != nil {
		return 0, translated(err)
	}
	return max(least, min(rate, maxFeeRate)), nil
}

// maxPayees keeps a refund to many addresses within the size that daemons relay.
const maxPayees = 100

// MaxPayees returns how many addresses one payment can have.
func (w *Wallet) MaxPayees() int { return maxPayees }

// Build makes and signs a payment from coins that are deep enough and not reserved.
func (w *Wallet) Build(ctx context.Context, pay chain.Payment) (chain.Built, error) {
	total, ok := pay.Total()
	if !ok || len(pay.More) >= maxPayees {
		return chain.Built{}, fmt.Errorf("%w: %d for %d payees", chain.ErrTooSmall, pay.Amount, 1+len(pay.More))
	}
	for _, d := range pay.Destinations() {
		if _, err := w.client.Script(ctx, d.Address); err != nil {
			return chain.Built{}, translated(err)
		}
	}
	rate, err := w.feeRate(ctx)
	if err != nil {
		return chain.Built{}, err
	}
	return w.reserving(ctx, pay.Avoid, func() (chain.Built, error) { return w.pay(ctx, pay, utxo.Amount(total), rate) })
}

// pay builds a payment from the preferred coins, else from one that is large enough.
// It lists all coins only if there is none, because the daemon works for each coin
// that it lists, and anyone can send the wallet many small ones.
func (w *Wallet) pay(ctx context.Context, pay chain.Payment, total, rate utxo.Amount) (chain.Built, error) {
	own, err := w.preferred(ctx, pay.Prefer)
	if err != nil {
		return chain.Built{}, err
	}
	if own = w.free(own, pay.Avoid); len(own) > 0 && sum(own) >= total {
		if built, err := w.create(ctx, pay, rate, own); !errors.Is(err, chain.ErrNotEnough) {
			return built, err
		}
	}
	large, err := w.client.UnspentFrom(ctx, w.confirmations, needed(total, rate, pay.SubtractFee), looksAt)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	built, err := w.buildOf(ctx, pay, total, rate, w.free(large, pay.Avoid))
	if !errors.Is(err, chain.ErrNotEnough) {
		return built, err
	}
	all, err := w.client.Unspent(ctx, w.confirmations)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	free := w.free(all, pay.Avoid)
	built, err = w.buildOf(ctx, pay, total, rate, free)
	if !errors.Is(err, chain.ErrNotEnough) {
		return built, err
	}
	held, err := w.total(ctx)
	if err != nil {
		return built, err
	}
	return built, chain.Missing(uint64(total), held, uint64(sum(free)))
}

// looksAt is how many coins that are large enough a payment chooses from.
const looksAt = 100

// reserving builds while nothing is locked, because existing locks may belong to
// transactions that are no longer in avoid. Then it locks the reserved coins.
func (w *Wallet) reserving(ctx context.Context, avoid []string, build func() (chain.Built, error)) (chain.Built, error) {
	if _, err := w.Tip(ctx); err != nil {
		return chain.Built{}, err
	}
	if err := w.client.UnlockAll(ctx); err != nil {
		return chain.Built{}, translated(err)
	}
	built, err := build()
	return built, errors.Join(err, w.reserve(ctx, slices.Concat(avoid, built.Inputs)))
}

// reserve locks those of the coins that are unspent.
func (w *Wallet) reserve(ctx context.Context, names []string) error {
	coins := make([]utxo.Coin, len(names))
	for i, name := range names {
		coin, err := utxo.ParseCoin(name)
		if err != nil {
			return err
		}
		coins[i] = coin
	}
	return translated(w.client.Lock(ctx, coins))
}

// free returns the coins that can be spent and are not reserved, the largest first.
func (w *Wallet) free(coins []utxo.Unspent, avoid []string) []utxo.Unspent {
	avoided := map[string]bool{}
	for _, name := range avoid {
		avoided[name] = true
	}
	free := slices.DeleteFunc(slices.Clone(coins), func(c utxo.Unspent) bool {
		return avoided[c.String()] || !c.Spendable || c.Confirmations < w.confirmations
	})
	slices.SortFunc(free, func(a, b utxo.Unspent) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.String(), b.String()))
	})
	return free
}

// maxInputs keeps a transaction within the size that daemons relay (100 kB).
const maxInputs = 600

// buildOf spends the smallest coin that is large enough, else as many of the largest
// as necessary.
func (w *Wallet) buildOf(ctx context.Context, pay chain.Payment, total, rate utxo.Amount, free []utxo.Unspent) (chain.Built, error) {
	chosen := choose(free, total, rate, pay.SubtractFee)
	for chosen != nil && len(chosen) <= maxInputs {
		built, err := w.create(ctx, pay, rate, chosen)
		if !errors.Is(err, chain.ErrNotEnough) || len(chosen) == len(free) {
			return built, err
		}
		chosen = free[:min(len(free), len(chosen)+1)] // the coins did not cover the fee
	}
	if chosen != nil {
		return chain.Built{}, fmt.Errorf("%w: more than %d coins", chain.ErrTooLarge, maxInputs)
	}
	return chain.Built{}, fmt.Errorf("%w: %d coins that are free", chain.ErrNotEnough, len(free))
}

// choose picks coins from a list that starts with the largest. It returns nil when
// they are not enough.
func choose(free []utxo.Unspent, total, rate utxo.Amount, subtractFee bool) []utxo.Unspent {
	alone := needed(total, rate, subtractFee)
	for i, c := range slices.Backward(free) {
		if c.Amount >= alone {
			return free[i : i+1]
		}
	}
	var has utxo.Amount
	for i, c := range free {
		if has += c.Amount; has >= total {
			return free[:i+1]
		}
	}
	return nil
}

// needed returns how much one coin must be worth to pay an amount alone.
func needed(total, rate utxo.Amount, subtractFee bool) utxo.Amount {
	if subtractFee {
		return total
	}
	return total + rate*usualSize/1000 + 1
}

// create lets the daemon make the transaction. It decodes the result and checks it,
// instead of trusting the daemon.
func (w *Wallet) create(ctx context.Context, pay chain.Payment, rate utxo.Amount, chosen []utxo.Unspent) (chain.Built, error) {
	spend := utxo.Spend{FeeRate: rate, SubtractFee: pay.SubtractFee}
	for _, d := range pay.Destinations() {
		spend.Payees = append(spend.Payees, utxo.Payee{Address: d.Address, Amount: utxo.Amount(d.Amount)})
	}
	for _, c := range chosen {
		spend.Coins = append(spend.Coins, c.Coin)
	}
	rawHex, fee, err := w.client.Create(ctx, spend)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	if err := w.client.TestAccept(ctx, rawHex); err != nil {
		return chain.Built{}, translated(err)
	}
	tx, err := w.client.Decode(ctx, rawHex)
	if err != nil {
		return chain.Built{}, translated(err)
	}
	raw, err := hex.DecodeString(rawHex)
	if err != nil {
		return chain.Built{}, fmt.Errorf("chain: built transaction: %w", err)
	}
	built := chain.Built{TxHash: tx.Hash, Raw: raw, Fee: uint64(fee)}
	for _, in := range tx.Inputs {
		built.Inputs = append(built.Inputs, in.String())
	}
	for _, p := range spend.Payees {
		script, err := w.client.Script(ctx, p.Address)
		if err != nil {
			return chain.Built{}, translated(err)
		}
		paid := paidTo(script, tx)
		built.Paid, built.Amount = append(built.Paid, paid), built.Amount+paid
	}
	return built, checkBuilt(built, pay, len(chosen))
}

func paidTo(script string, tx utxo.Tx) uint64 {
	var paid uint64
	for _, out := range tx.Outputs {
		if out.Script == script {
			paid += uint64(out.Value)
		}
	}
	return paid
}

// checkBuilt returns an error for a transaction that differs from the request.
func checkBuilt(built chain.Built, pay chain.Payment, coins int) error {
	fee := uint64(0)
	if pay.SubtractFee {
		fee = built.Fee
	}
	amounts, ok := pay.Less(fee)
	if !ok || !slices.Equal(built.Paid, amounts) || len(built.Inputs) != coins {
		return fmt.Errorf("chain: the daemon built another payment: %d instead of %d", built.Paid, amounts)
	}
	return nil
}
