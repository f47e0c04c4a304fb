package charges

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/durapay/durapay/activities/safemode"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/simulated"
)

// takeAddress gives a charge an address of its wallet, or in a simulated sandbox a
// wallet, a chain and an address of its own: one of the test network, which wallets of
// the main network refuse to pay, and which nobody has the keys of.
func (a *Handler) takeAddress(ctx context.Context, q *db.Queries, row *db.InsertChargeParams) error {
	if a.Simulated && row.Mode == string(config.Sandbox) {
		row.WalletID, row.SubaddressIndex = simulated.WalletOf(row.ID), 1
		row.Subaddress = monero.UnspendableAddress(monero.Testnet).String()
		return q.MakeSimulatedAddress(ctx, db.MakeSimulatedAddressParams{
			WalletID: row.WalletID, ChargeID: row.ID, Address: row.Subaddress, Height: simulated.FirstBlocks,
			TopHash: simulated.BlockHash(row.WalletID, simulated.FirstBlocks-1, nil), Now: row.CreatedAt,
		})
	}
	taken, err := q.TakeAddress(ctx, db.TakeAddressParams{ChargeID: row.ID, WalletID: row.WalletID})
	if postgres.IsNotFound(err) {
		return safemode.NoAddress(ctx, q, row.WalletID, safemode.Refusal(), refusals.New(refusals.NoAddress, "no receiving address is ready"))
	}
	row.SubaddressIndex, row.Subaddress = taken.SubaddressIndex, taken.Address
	return err
}

// sandboxWallet is the wallet of a merchant's charges in mode sandbox: the merchant's
// own, or where that is not configured any more, as after the sandbox was given another
// chain, another, over which merchants spread evenly. An address of a wallet that nobody looks
// after is never given out: where none is configured it is refused. A simulated charge has
// its own wallet in its place.
func (a *Handler) sandboxWallet(own, merchantID string) (string, error) {
	if a.Simulated || slices.Contains(a.SandboxWallets, own) {
		return own, nil
	}
	if len(a.SandboxWallets) == 0 {
		return "", refusals.New(refusals.NoAddress, "no wallet of the sandbox is configured, so there is no receiving address")
	}
	return slices.MinFunc(a.SandboxWallets, func(one, other string) int {
		first, second := sha256.Sum256([]byte(one+merchantID)), sha256.Sum256([]byte(other+merchantID))
		return slices.Compare(first[:], second[:])
	}), nil
}
