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

// begin reads what a charge begins with: the settings of its merchant, who must exist,
// must not be suspended and must have room for one more charge, and an address of the
// merchant's wallet. The address index is 0 if no address is ready, and for a simulated
// charge. Charges that are made at the same moment may exceed the room by their number,
// because none waits for the count.
func (s *Charges) begin(ctx context.Context, q *db.Queries, in New) (db.BeginChargeRow, error) {
	params := db.BeginChargeParams{
		ChargeID: in.ChargeID, MerchantID: in.MerchantID, Mode: string(in.Mode), PendingMax: int64(cmp.Or(s.PendingMax, charge.MaxPending)),
	}
	if !s.simulates(in.Mode) {
		params.SandboxWallets, params.OtherWallet = s.SandboxWallets, s.otherSandboxWallet(in.MerchantID)
	}
	begun, err := q.BeginCharge(ctx, params)
	switch {
	case postgres.IsNotFound(err):
		return begun, noMerchant()
	case err != nil:
		return begun, err
	case begun.Suspended:
		return begun, refusals.New(refusals.Suspended, "the account is suspended")
	case begun.Pending >= begun.PendingMax:
		return begun, refusals.New(refusals.TooMany, "the account has too many pending charges, try again later")
	default:
		return begun, nil
	}
}

func (s *Charges) simulates(mode config.Mode) bool { return s.Simulated && mode == config.Sandbox }

// needAddress refuses a charge that has no address. A simulated charge gets a wallet, a
// chain and an address of its own. The address is one of the test network, which wallets
// of the main network refuse to pay. Its keys do not exist.
func (s *Charges) needAddress(ctx context.Context, q, later *db.Queries, row *db.InsertChargeParams) error {
	switch {
	case s.simulates(config.Mode(row.Mode)):
		row.WalletID, row.SubaddressIndex = charge.SimulatedWalletOf(row.ID), 1
		row.Subaddress = monero.UnspendableAddress(monero.Testnet).String()
		return later.MakeSimulatedAddress(ctx, db.MakeSimulatedAddressParams{
			WalletID: row.WalletID, ChargeID: row.ID, Address: row.Subaddress, Height: charge.SimulatedFirstBlocks,
			TopHash: charge.SimulatedBlockHash(row.WalletID, charge.SimulatedFirstBlocks-1, nil), Now: row.CreatedAt,
		})
	case row.SubaddressIndex != 0:
		return nil
	case row.WalletID == "":
		return refusals.New(refusals.NoAddress, "no wallet of the sandbox is configured, so there is no receiving address")
	default:
		return postgres.NoAddress(ctx, q, row.WalletID, postgres.SafeModeRefusal(), refusals.New(refusals.NoAddress, "no receiving address is ready"))
	}
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
