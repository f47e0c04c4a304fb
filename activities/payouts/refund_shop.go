package payouts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// GivePayment is a transaction with which a shop says to have paid a claim from its own
// wallet.
type GivePayment struct {
	RefundID, ClaimID string
	// TxHash and TxKey are as the shop's wallet shows them, see monero.ParseTxKey.
	TxHash, TxKey string
	// Now is the workflow's clock.
	Now time.Time
}

// GivePayment checks on the chain that the transaction pays exactly the claim's amount to
// exactly its address in one output, and records it. A second run, or a repeated request,
// changes nothing. refusals.Refund has the reason why the transaction does not prove that.
func (a *Handler) GivePayment(ctx context.Context, in GivePayment) error {
	l, err := chargestore.LoadRefund(ctx, a.Store.Queries, in.RefundID)
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Missing, "refund not found")
	}
	if err != nil {
		return err
	}
	claim, given, err := chargestore.UnpaidClaim(l, in.ClaimID, in.TxHash)
	if err != nil || given {
		return err
	}
	address, err := a.Secret.Unseal(claim.OwnAddressSealed, secret.OwnClaimPlace.Of(claim.ID))
	if err != nil {
		return err
	}
	outputs, err := a.paying(ctx, in, string(address), claim.Amount)
	if err != nil {
		return err
	}
	proof, err := json.Marshal(refund.Proof{TxKey: in.TxKey, TxProof: signed(in.TxHash, in.TxKey, string(address))})
	if err != nil {
		return err
	}
	sealed, err := a.Secret.Seal(proof, secret.ClaimProofPlace.Of(claim.ID))
	if err != nil {
		return err
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		return chargestore.RecordShopPayment(ctx, q, chargestore.ShopPayment{
			RefundID: in.RefundID, ClaimID: claim.ID, TxHash: in.TxHash, Outputs: outputs, Proof: sealed, Now: in.Now,
		})
	})
}

// paying returns the outputs of a transaction that pay an address exactly an amount.
func (a *Handler) paying(ctx context.Context, in GivePayment, address string, amount money.Piconero) ([]chargestore.PaidOutput, error) {
	to, err := monero.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	hash, err := scan.ParseHash(in.TxHash)
	if err != nil {
		return nil, refusals.New(refusals.Refund, "tx_hash is not the hash of a transaction")
	}
	keys, err := monero.ParseTxKey(in.TxKey)
	if err != nil {
		return nil, refusals.New(refusals.Refund, "tx_key is not the key of a transaction")
	}
	tx, place, err := scan.FetchTx(ctx, a.Daemon, hash)
	if err != nil {
		return nil, refusalOf(err)
	}
	if place.InPool && place.DoubleSpendSeen {
		return nil, refusals.New(refusals.Refund, "another transaction spends the same money: wait until a block has one of them")
	}
	paid, err := scan.PaidTo(tx, keys, to)
	if err != nil {
		return nil, refusalOf(err)
	}
	return exactly(paid, amount)
}

// exactly returns the outputs of an amount.
func exactly(paid []scan.Output, amount money.Piconero) ([]chargestore.PaidOutput, error) {
	if len(paid) == 0 {
		return nil, refusals.New(refusals.Refund, "the transaction pays another address: it has nothing for the claim's")
	}
	var exact []chargestore.PaidOutput
	for _, o := range paid {
		if o.Amount == amount {
			exact = append(exact, chargestore.PaidOutput{OneTimeKey: o.OneTimeKey[:], Index: int32(o.Index)})
		}
	}
	if len(exact) == 0 {
		return nil, refusals.New(refusals.Refund, fmt.Sprintf("the transaction pays another amount: %s XMR reach the address, the claim is %s XMR, and one output must have exactly that", paid[0].Amount, amount))
	}
	return exact, nil
}

// refusalOf returns the refusal for a transaction that proves nothing. A fault of the daemon
// stays one.
func refusalOf(err error) error {
	for reason, text := range map[error]string{
		monero.ErrNotFound: "the transaction is not known: compare the hash, or wait until the network has it",
		scan.ErrTxKey:      "the key is not this transaction's, or it pays another address",
		scan.ErrLocked:     "the transaction is locked: its money could not be spent yet",
		scan.ErrReward:     "the transaction is the reward of a block",
		scan.ErrForm:       "the transaction has a form that this service does not know",
	} {
		if errors.Is(err, reason) {
			return refusals.New(refusals.Refund, text)
		}
	}
	return err
}

// FollowPayments names a refund with payments of its shop that are not final.
type FollowPayments struct {
	RefundID string
	// Now is the workflow's clock.
	Now time.Time
}

// FollowPayments asks the daemon where the payments of a refund's shop are, and moves their
// claims. A second run changes nothing. It fails while the daemon is away or lags behind.
func (a *Handler) FollowPayments(ctx context.Context, in FollowPayments) error {
	payments, err := a.Store.UnsettledShopPayments(ctx, in.RefundID)
	if err != nil || len(payments) == 0 {
		return err
	}
	hashes := make([]string, len(payments))
	for i, p := range payments {
		hashes[i] = p.TxHash
	}
	network := xmrwallet.NewNetwork(a.Daemon)
	tip, err := network.Tip(ctx)
	if err != nil {
		return err
	}
	places, err := network.Locate(ctx, hashes)
	if err != nil {
		return err
	}
	seen := make(map[string]refund.Seen, len(places))
	for i, at := range places {
		seen[hashes[i]] = seenAt(at, tip)
	}
	return a.Store.Tx(ctx, func(q *db.Queries) error { return chargestore.FollowShopPayments(ctx, q, in.RefundID, seen, in.Now) })
}

func seenAt(at chain.Location, tip chain.Tip) refund.Seen {
	if at.State != chain.Mined {
		return refund.Seen{Known: at.State == chain.InPool}
	}
	height := int64(at.Height)
	return refund.Seen{Known: true, Height: &height, Depth: int64(tip.Height) - height + 1}
}
