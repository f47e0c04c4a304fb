package chargestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// admit refuses a charge that anyone can make if its merchant has as many of them pending
// as allowed, or if its payment request has ended. It locks the merchant's row until the
// charge is inserted, so that concurrent charges are counted one after the other. Charges
// that are made with a key do not wait for the lock.
func admit(ctx context.Context, q *db.Queries, in New) error {
	if in.Source == charge.FromAPI {
		return nil
	}
	if _, err := q.LockMerchant(ctx, in.MerchantID); postgres.IsNotFound(err) {
		return noMerchant()
	} else if err != nil {
		return err
	}
	open, err := q.CountPendingButtons(ctx, db.CountPendingButtonsParams{
		MerchantID: in.MerchantID, ClientCode: in.ClientCode, CrowdCode: in.CrowdCode,
	})
	if err != nil {
		return err
	}
	switch {
	case open.Pending >= charge.MaxPendingButtons:
		return refusals.New(refusals.TooMany, "the merchant has too many pending payments, try again later")
	case open.OfClient >= charge.MaxPendingOfClient, open.OfCrowd >= charge.MaxPendingOfCrowd:
		return refusals.New(refusals.TooMany, "you have too many payments of this merchant open, try again later")
	}
	if in.PaymentRequestID == nil {
		return nil
	}
	request, err := q.HoldPaymentRequest(ctx, *in.PaymentRequestID)
	if postgres.IsNotFound(err) || (err == nil && postgres.RequestOf(request).StatusAt(in.Now) != charge.RequestActive) {
		return refusals.New(refusals.Request, "the payment request is no longer valid")
	}
	return err
}

func noMerchant() error { return refusals.New(refusals.Merchant, "the merchant does not exist") }

// begin reads what a charge depends on: the settings of its merchant, and the limits that may refuse it.
func (s *Charges) begin(ctx context.Context, in New) (db.BeginChargeRow, error) {
	begun, err := s.Store.BeginCharge(ctx, db.BeginChargeParams{MerchantID: in.MerchantID, Mode: string(in.Mode), PendingMax: s.pendingMax(), Now: in.Now})
	if postgres.IsNotFound(err) {
		return begun, noMerchant()
	}
	return begun, err
}

func (s *Charges) pendingMax() int64 { return int64(cmp.Or(s.PendingMax, charge.MaxPending)) }

// refusal returns why a merchant gets no charge of a mode, or nil.
func (s *Charges) refusal(begun db.BeginChargeRow, mode config.Mode) error {
	switch {
	case begun.Hosted && mode == config.Live && s.Custody == config.CustodyOwn:
		return refusals.New(refusals.NoWallet, "this service holds no money for others: set the shop's own wallet first (PUT /api/account/wallet)")
	case begun.Suspended:
		return refusals.New(refusals.Suspended, "the account is suspended")
	case begun.Pending >= begun.PendingMax:
		return refusals.New(refusals.TooMany, "the account has too many pending charges, try again later")
	default:
		return nil
	}
}

func (s *Charges) isRefused(begun db.BeginChargeRow, mode config.Mode) bool {
	return s.refusal(begun, mode) != nil
}

func (s *Charges) simulates(mode config.Mode) bool { return s.Simulated && mode == config.Sandbox }

// simulate gives a charge a wallet, a chain and an address of its own. The address is one of
// the test network, which wallets of the main network refuse to pay. Its keys do not exist.
func simulate(ctx context.Context, q *db.Queries, row *db.InsertChargeParams) error {
	row.Simulated, row.WalletID, row.SubaddressIndex = true, charge.SimulatedWalletOf(row.ID), 1
	row.Subaddress = monero.UnspendableAddress(monero.Testnet).String()
	return q.MakeSimulatedAddress(ctx, db.MakeSimulatedAddressParams{
		WalletID: row.WalletID, ChargeID: row.ID, Address: row.Subaddress, Height: charge.SimulatedFirstBlocks,
		TopHash: charge.SimulatedBlockHash(row.WalletID, charge.SimulatedFirstBlocks-1, nil), Now: row.CreatedAt,
	})
}

// walletFor returns the wallet of a merchant's charges: the chosen one, or another one in the
// sandbox if that is not configured any more. It is empty if no wallet is configured.
func (s *Charges) walletFor(in New, chosenWalletID string) string {
	if in.Mode == config.Live || slices.Contains(s.SandboxWallets, chosenWalletID) {
		return chosenWalletID
	}
	return s.otherSandboxWallet(in.MerchantID)
}

// otherSandboxWallet returns the wallet of a merchant's charges in mode sandbox if the
// merchant's own wallet is not configured any more, for example after the sandbox got
// another chain. It spreads merchants evenly. So an address of a wallet without a watcher
// is never given out. The result is empty if no wallet is configured.
func (s *Charges) otherSandboxWallet(merchantID string) string {
	if len(s.SandboxWallets) == 0 {
		return ""
	}
	return slices.MinFunc(s.SandboxWallets, func(one, other string) int {
		first, second := sha256.Sum256([]byte(one+merchantID)), sha256.Sum256([]byte(other+merchantID))
		return slices.Compare(first[:], second[:])
	})
}
